// Two texts side by side: rows that stand beside each other, what differs marked, and long stretches
// that are the same folded.

import { button, el, name } from "./dom.js";
import { cuts, piecemeal } from "./pieces.js";

/** Characters after which a row ends at the next chance. */
const LONG_ROW = 1200;
/** Rows in a stretch of equal ones that is folded, and how many of them stay around what differs. */
const FOLDED = 6;
const AROUND = 1;

/**
 * The rows of a difference (parts with `op` "same", "a" or "b"): each has parts for both sides. A row
 * ends where a line ends in both texts; one that grew long ends earlier.
 */
export function rowsOf(difference) {
    const rows = [];
    const empty = (paragraph) => ({ a: [], b: [], same: true, length: 0, paragraph });
    let row = empty(false);
    const finish = () => {
        if (row.length > 0) rows.push(...(row.length > 4 * LONG_ROW ? divided(row) : [row]));
        // An empty line is space above the next one.
        row = empty(row.length === 0 && rows.length > 0);
    };
    const both = (piece) => {
        row.a.push({ differs: false, text: piece });
        row.b.push({ differs: false, text: piece });
        row.length += piece.length;
    };
    for (const { op, text } of difference) {
        if (op === "same") {
            const lines = text.split("\n");
            lines.forEach((line, number) => {
                const at = cuts(line, LONG_ROW);
                for (let piece = 0; piece + 1 < at.length; piece += 1) {
                    both(line.slice(at[piece], at[piece + 1]));
                    if (row.length >= LONG_ROW) finish();
                }
                if (number + 1 < lines.length) finish();
            });
        } else {
            row[op].push({ differs: true, text });
            row.same = false;
            row.length += text.length;
        }
    }
    finish();
    return rows;
}

/** The difference; where it stops early, without what differs at its end only because it stops there. */
export function bounded({ difference, difference_truncated: isTruncated }) {
    if (!isTruncated) return difference;
    return difference.slice(0, difference.findLastIndex(({ op }) => op === "same") + 1);
}

/** A very long row as several, so that none is too much to draw at once. */
function divided(row) {
    const sides = [row.a, row.b].map((parts) => parts.flatMap((part) => {
        const at = cuts(part.text, LONG_ROW);
        return at.slice(1).map((end, number) => ({ ...part, text: part.text.slice(at[number], end) }));
    }));
    const rows = [];
    for (let number = 0; number < Math.max(sides[0].length, sides[1].length); number += 4) {
        const [a, b] = sides.map((parts) => parts.slice(number, number + 4));
        rows.push({ a, b, same: false, length: LONG_ROW, paragraph: false });
    }
    return rows;
}

/** Rows and folds: a fold is a list of rows that are the same. */
function foldedRows(rows) {
    const shown = [];
    for (let start = 0; start < rows.length;) {
        let end = start;
        while (end < rows.length && rows[end].same) end += 1;
        if (end - start > FOLDED) {
            const from = start === 0 ? 0 : start + AROUND;
            const to = end === rows.length ? end : end - AROUND;
            shown.push(...rows.slice(start, from), { fold: rows.slice(from, to) }, ...rows.slice(to, end));
        } else {
            shown.push(...rows.slice(start, end));
        }
        if (end < rows.length) shown.push(rows[end]);
        start = end + 1;
    }
    return shown;
}

/** Both texts side by side under their names. */
export function sideBySide(difference, headA, headB) {
    const rows = rowsOf(difference);
    // All the same: nothing to go to, so nothing is folded away.
    const shown = rows.some((row) => !row.same) ? foldedRows(rows) : rows;
    const table = el("div", { class: "split", role: "table", "aria-label": "Both texts side by side" },
        el("div", { class: "row head", role: "row" },
            el("div", { role: "columnheader", class: "a" }, headA),
            el("div", { role: "columnheader", class: "b" }, headB)));
    return piecemeal(table, shown.length, (number) =>
        shown[number].fold ? foldElement(shown[number].fold) : rowElement(shown[number]));
}

function rowElement(row) {
    const kind = `row ${row.same ? "same" : "changed"}${row.paragraph ? " paragraph" : ""}`;
    return el("div", { class: kind, role: "row" }, side(row, "a", "del"), side(row, "b", "ins"));
}

function side(row, which, tag) {
    const parts = joined(row[which]).map((part) => (part.differs ? el(tag, {}, part.text) : part.text));
    return el("div", { class: which, role: "cell", dir: "auto" }, parts);
}

/** Words that differ one after the other are marked as one, with the space between them. */
function joined(parts) {
    const differs = (number) => parts[number]?.differs === true;
    const joined = [];
    parts.forEach((part, number) => {
        const between = differs(number - 1) && differs(number + 1) && part.text.trim() === "";
        const last = joined[joined.length - 1];
        if (last && last.differs && (part.differs || between)) last.text += part.text;
        else joined.push({ differs: part.differs, text: part.text });
    });
    return joined;
}

function foldElement(rows) {
    const row = el("div", { class: "row fold", role: "row" });
    const unfold = button(`Show ${rows.length} rows that are the same`, () => {
        const holder = el("div", { role: "rowgroup" });
        row.replaceWith(piecemeal(holder, rows.length, (number) => rowElement(rows[number])));
    });
    row.append(el("div", { role: "cell" }, unfold));
    return row;
}

/** Both texts as one, as `explain` shows them. */
export function asOne(difference) {
    const parts = difference.flatMap(({ op, text }) => {
        const at = cuts(text);
        return at.slice(1).map((end, number) => ({ op, text: text.slice(at[number], end) }));
    });
    const tags = { same: "span", a: "del", b: "ins" };
    return piecemeal(el("div", { class: "text", dir: "auto" }), parts.length,
        (number) => el(tags[parts[number].op], {}, parts[number].text), 400);
}

/** Paragraphs that match, beside each other. */
export function sharedParagraphs(matches, a, b) {
    return el("table", { class: "pair" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, name(a)), el("th", { scope: "col" }, name(b)))),
        el("tbody", {}, matches.slice(0, 100).map((match) => el("tr", {},
            el("td", { dir: "auto" }, match.a.text), el("td", { dir: "auto" }, match.b.text)))));
}

// Everything about two documents: verdict, differences, shared paragraphs, evidence.

import { bytes, count, counted, el, facts, link, name, score, shortened, time, visible } from "./dom.js";
import { asOne, bounded, sharedParagraphs, sideBySide } from "./difference.js";

const VIEW = "lookalike-difference";

/** The pair as the service describes it; `roles` are words for the two, above their texts. */
export function pairElement(pair, roles) {
    const [a, b] = [pair.a, pair.b];
    const isOne = localStorage.getItem(VIEW) === "one";
    const parts = bounded(pair);
    const difference = isOne ? asOne(parts) : sideBySide(parts, head(a, roles[0]), head(b, roles[1]));
    return el("div", { class: "pair-view" },
        isOne ? el("div", { class: "heads" }, head(a, roles[0]), head(b, roles[1])) : null,
        pair.difference_truncated ? el("p", { class: "dim" },
            "The texts are long. Only their beginnings are compared here. The whole texts: ",
            link(["document", a.id], {}, name(a.id, 60)), ", ", link(["document", b.id], {}, name(b.id, 60)), ".") : null,
        difference,
        paragraphs(pair),
        evidence(pair),
        fields(pair));
}

/** Switches between side by side and both texts in one. */
export function turnDifference() {
    const next = localStorage.getItem(VIEW) === "one" ? "beside" : "one";
    localStorage.setItem(VIEW, next);
    return next === "one" ? "Both texts in one" : "Side by side";
}

/** Whether the two are duplicates, and who says so. */
export function verdictLine(pair) {
    const { verdict, judgments } = pair;
    const words = (duplicate) => (duplicate ? "duplicates" : "not duplicates");
    const kind = verdict.duplicate ? "yes" : "no";
    const said = judgments.length === 0 ? `Found by comparison: ${words(verdict.duplicate)}`
        : `${who(judgments.at(-1))} said: ${words(verdict.duplicate)}`;
    const others = judgments.slice(0, -1).filter((one) => one.duplicate !== verdict.duplicate);
    return el("p", { class: "verdict" }, el("span", { class: `badge ${kind}` }, said), " ",
        judgments.length > 0 ? el("span", { class: "dim" }, `on ${time(judgments.at(-1).time)}. `) : null,
        others.length > 0 ? el("span", { class: "badge no disputed" },
            `People disagree: ${others.map((one) => `${who(one)} said ${words(one.duplicate)} on ${time(one.time)}`).join("; ")}. `) : null,
        el("span", { class: "dim" }, "similarity "), score(pair.method.score),
        pair.containment ? el("span", { class: "dim" }, ` · ${percent(pair.containment[0])} of the left text is in the right one, `
            + `${percent(pair.containment[1])} of the right text in the left one`) : null);
}

/** Who gave a verdict. */
function who(said) {
    return said.by ? shortened(said.by, 60) : "A person";
}

function percent(share) {
    return `${Math.round(100 * share)} %`;
}

function head(document, role) {
    return el("div", { class: "head" }, el("span", { class: "role" }, role), " ",
        link(["document", document.id], {}, name(document.id)),
        document.title ? el("span", { class: "dim", dir: "auto" }, " ", name(document.title, 80)) : null,
        el("span", { class: "dim meta" }, `${bytes(document.text_bytes)}, added ${time(document.added)}`));
}

function paragraphs(pair) {
    if (pair.matches.length === 0) return null;
    return el("details", {},
        el("summary", {}, `Shared paragraphs (${count(pair.matches.length)})`),
        sharedParagraphs(pair.matches, pair.a.id, pair.b.id));
}

function evidence(pair) {
    const words = (title, features, weight) => features.length === 0 ? null : [
        el("h3", {}, `${title} (${features.length === 200 ? "200 heaviest" : count(features.length)})`),
        el("ul", { class: "features" }, features.slice(0, 60).map((feature) =>
            el("li", { dir: "auto", title: visible(weight(feature)) }, feature.text)))];
    return el("details", { class: "evidence" }, el("summary", {}, "Why"),
        facts([
            ["similarity", score(pair.method.score)],
            ["share of words in both", pair.resemblance === null ? null : score(pair.resemblance)],
            ["bucket keys (how the pair was found)", `${counted(pair.keys.shared, "key", "keys")} in common, of ${pair.keys.a} and ${pair.keys.b}`],
            ["matching paragraphs", pair.matches.length > 0 ? count(pair.matches.length) : null],
        ]),
        words("In both texts", pair.shared, (feature) => `weight ${feature.a_weight} and ${feature.b_weight}`),
        words("Only in the left text", pair.only_a, (feature) => `weight ${feature.weight}`),
        words("Only in the right text", pair.only_b, (feature) => `weight ${feature.weight}`));
}

/** The other fields of both, those that differ first. */
function fields(pair) {
    // Without a prototype: a field may be called "constructor".
    const of = ({ title, url, fields: others }) => Object.assign(Object.create(null), { title, url }, others);
    const [a, b] = [of(pair.a), of(pair.b)];
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => shown(a[key]) || shown(b[key]));
    if (names.length === 0) return null;
    const differs = (key) => shown(a[key]) !== shown(b[key]);
    names.sort((left, right) => differs(right) - differs(left));
    return el("details", {}, el("summary", {}, `Fields (${count(names.length)})`),
        el("table", {},
            el("thead", {}, el("tr", {}, ["Field", "Left", "Right"].map((title) => el("th", { scope: "col" }, title)))),
            el("tbody", {}, names.slice(0, 100).map((key) => el("tr", {},
                el("th", { scope: "row" }, name(key)),
                [a, b].map((side) => el("td", { dir: "auto", class: differs(key) ? "differs" : null }, shown(side[key]))))))));
}

/** A field's value as text, bounded. */
export function shown(value) {
    if (value === null || value === undefined) return "";
    return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 2000);
}

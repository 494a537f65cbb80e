// Everything about two documents: verdict, differences, shared paragraphs, evidence.

import { bytes, count, counted, el, facts, link, name, score, time, visible } from "./dom.js";
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
            "The texts are long: their beginnings are compared here. The whole ones: ",
            link(["document", a.id], {}, name(a.id, 60)), ", ", link(["document", b.id], {}, name(b.id, 60)), ".") : null,
        difference,
        paragraphs(pair),
        evidence(pair),
        fields(pair));
}

/** Side by side, or both as one: the other from now on. */
export function turnDifference() {
    const next = localStorage.getItem(VIEW) === "one" ? "beside" : "one";
    localStorage.setItem(VIEW, next);
    return next === "one" ? "Both texts as one" : "Side by side";
}

/** What is said of the pair, in one line. */
export function verdictLine(pair) {
    const { verdict, judgment } = pair;
    const said = judgment
        ? `A person said: ${judgment.duplicate ? "duplicates" : "not duplicates"}`
        : `The method says: ${verdict.duplicate ? "duplicates" : "not duplicates"}`;
    const kind = verdict.duplicate ? "yes" : "no";
    return el("p", { class: "verdict" }, el("span", { class: `badge ${kind}` }, said), " ",
        el("span", { class: "dim" }, "score "), score(pair.method.score),
        pair.containment ? el("span", { class: "dim" }, ` · ${percent(pair.containment[0])} of the left is in the right, `
            + `${percent(pair.containment[1])} of the right in the left`) : null);
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
    return el("details", { class: "evidence" }, el("summary", {}, "Evidence"),
        facts([
            ["score by the method", score(pair.method.score)],
            ["resemblance", pair.resemblance === null ? null : score(pair.resemblance)],
            ["bucket keys", `${counted(pair.keys.shared, "key", "keys")} in common, of ${pair.keys.a} and ${pair.keys.b}`],
            ["matching paragraphs", pair.matches.length > 0 ? count(pair.matches.length) : null],
        ]),
        words("In both", pair.shared, (feature) => `weight ${feature.a_weight} and ${feature.b_weight}`),
        words("Only left", pair.only_a, (feature) => `weight ${feature.weight}`),
        words("Only right", pair.only_b, (feature) => `weight ${feature.weight}`));
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

// A box for a text: which documents of the index it resembles, and where.

import { api } from "./api.js";
import { button, count, counted, el, link, name, score, visible } from "./dom.js";
import { bounded, sharedParagraphs, sideBySide } from "./difference.js";

export const title = "Paste a text";

/** Stays while one looks at a document and comes back. */
let written = "";

export async function show(place, { signal, say }) {
    const box = el("textarea", { id: "paste", rows: 10, dir: "auto", spellcheck: "false" });
    box.value = written;
    const result = el("section", { class: "result", "aria-label": "Result", "aria-live": "polite" });
    const ask = button("Compare", check, { class: "yes", title: "Ctrl+Enter" });
    place.replaceChildren(el("h1", {}, title),
        el("p", {}, el("label", { for: "paste" }, "The text is compared with all documents. It is not stored.")),
        box, el("p", {}, ask, " ", el("span", { class: "dim" }, el("kbd", {}, "Ctrl"), " + ", el("kbd", {}, "Enter"))), result);
    box.addEventListener("input", () => { written = box.value; });
    box.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) check();
    });
    box.focus();

    async function check() {
        if (box.value.trim() === "") {
            say("Paste a text first.");
            return;
        }
        ask.disabled = true;
        try {
            result.replaceChildren(...answer(await api.check({ text: box.value }, signal)));
        } catch (error) {
            if (error.name !== "AbortError") result.replaceChildren(el("p", { class: "problem", role: "alert" }, error.message));
        } finally {
            ask.disabled = false;
        }
    }
}

function answer(found) {
    if (found.status === "too-short") return [el("p", {}, "The text is too short to compare.")];
    if (found.matches.length === 0) return [el("p", {}, "No document resembles this text.")];
    const total = found.matches.length + (found.more_matches ?? 0);
    return [el("h2", {}, `It resembles ${counted(total, "document", "documents")}`),
        ...found.matches.map(match),
        found.more_matches ? el("p", { class: "dim" }, `${count(found.more_matches)} more are not listed.`) : ""];
}

function match(found, number) {
    const { evidence } = found;
    const head = el("summary", {}, score(found.score), " ", name(found.id));
    if (!evidence) return el("p", {}, score(found.score), " ", link(["document", found.id], {}, name(found.id)));
    return el("details", { class: "match", open: number === 0 }, head,
        el("p", {}, link(["document", found.id], {}, "Open the document"),
            evidence.judged === null || evidence.judged === undefined ? null : el("span", { class: "dim" }, " answered by a person")),
        evidence.difference_truncated ? el("p", { class: "dim" }, "The texts are long. Only their beginnings are compared here.") : null,
        evidence.difference ? sideBySide(bounded(evidence), "Pasted", name(found.id)) : null,
        evidence.matches.length > 0 ? [el("h3", {}, "Shared paragraphs"), sharedParagraphs(evidence.matches, "Pasted", found.id)] : null,
        evidence.shared.length > 0 ? [el("h3", {}, "In both texts"), el("ul", { class: "features" }, evidence.shared.map((feature) =>
            el("li", { dir: "auto", title: visible(`weight ${feature.weight}`) }, feature.text)))] : null);
}

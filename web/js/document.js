// One document: what is stored of it, whole, however long.

import { api } from "./api.js";
import { bytes, el, facts, link, name, score, time } from "./dom.js";
import { shown } from "./pair.js";
import { longText } from "./pieces.js";

export const title = "Document";

export async function show(place, { parts: [id], signal }) {
    const document = await api.document(id, signal);
    const url = document.url ? name(document.url, 300) : null;
    place.replaceChildren(
        el("h1", {}, name(document.title || document.id, 120)),
        facts([
            ["id", name(document.id, 1000)],
            // Never a link: it is foreign, and nothing here leads elsewhere.
            ["address", url],
            ["added", time(document.added)],
            ["expires", document.expires === null ? null : time(document.expires)],
            ["text", bytes(document.text_bytes)],
            ["too short to compare", document.too_short],
            ...Object.entries(document.fields ?? {}).map(([key, value]) => [name(key), el("bdi", {}, shown(value))]),
        ]),
        el("div", { id: "pairs" }),
        el("h2", {}, "Text"),
        document.text === null ? el("p", { class: "dim" }, "Texts are not stored here.") : longText(document.text));
    await pairs(place.querySelector("#pairs"), id, signal);
}

async function pairs(place, id, signal) {
    const page = await api.pairs({ id, sort: "-score", limit: 20 }, signal);
    if (page.pairs.length === 0) {
        place.replaceChildren(el("p", { class: "dim" }, "No other document resembles it."));
        return;
    }
    place.replaceChildren(
        el("h2", {}, "Similar documents"),
        el("ul", {}, page.pairs.map((pair) => {
            const other = pair.a === id ? pair.b : pair.a;
            return el("li", {}, score(pair.score), " ", link(["document", other], {}, name(other)));
        })),
        el("p", {}, link(["cluster", id], {}, "Review its cluster"), page.next ? el("span", { class: "dim" }, " (there are more)") : null));
}

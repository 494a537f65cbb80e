// The answers of people, with a way to take one back and to save all of them as a file.

import { api } from "./api.js";
import { button, counted, el, link, name, time } from "./dom.js";

export const title = "Answers";

/** Whether only pairs are listed on which people disagree. */
let disagreed = false;

export async function show(place, { signal, say, may, person }) {
    const body = el("tbody", {});
    const summary = el("p", { class: "dim", role: "status" });
    const more = el("p");
    place.replaceChildren(el("h1", {}, title), summary,
        el("p", {}, el("label", {}, el("input", { type: "checkbox", checked: disagreed, on: { change: (event) => {
            disagreed = event.target.checked;
            body.replaceChildren();
            load(null);
        } } }), " Only pairs on which people disagree")),
        el("p", {}, button("Save all answers as a file", save)),
        el("table", { class: "answers" }, el("thead", {}, el("tr", {},
            ["First document", "Second document", "Answer", "Who", "When", ""].map((head) => el("th", { scope: "col" }, head || el("span", { class: "quiet" }, "Change"))))), body),
        more);

    async function load(cursor) {
        const page = await api.judgments({ limit: 100, cursor, disagreed: disagreed ? 1 : null }, signal);
        summary.replaceChildren(counted(page.total, "pair has an answer", "pairs have an answer"));
        body.append(...page.judgments.map(row));
        more.replaceChildren(...(page.next ? [button("More answers", () => load(page.next))] : []));
    }

    function row(said) {
        const line = el("tr", {},
            [said.a, said.b].map((id) => el("td", {}, link(["document", id], {}, name(id, 80)))),
            el("td", {}, said.duplicate ? "duplicates" : "not duplicates",
                said.keep ? [", keep ", name(said.keep, 40)] : null),
            el("td", {}, said.by ? name(said.by, 40) : "–"),
            el("td", {}, time(said.time)),
            el("td", {}, may("judge") && (said.by ?? "") === person ? button("Take back", async () => {
                try {
                    await api.judge({ a: said.a, b: said.b, duplicate: null });
                } catch (error) {
                    say(error.message);
                    return;
                }
                line.remove();
                say("The answer is taken back.");
            }) : null));
        return line;
    }

    async function save() {
        const file = URL.createObjectURL(await api.judgmentsFile());
        const anchor = el("a", { download: "judgments.jsonl" });
        anchor.href = file;
        anchor.click();
        URL.revokeObjectURL(file);
    }
    await load(null);
}

// What people said, with a way to take it back and to take it away as a file.

import { api } from "./api.js";
import { button, counted, el, link, name, time } from "./dom.js";

export const title = "Answers";

export async function show(place, { signal, say, may }) {
    const body = el("tbody", {});
    const summary = el("p", { class: "dim", role: "status" });
    const more = el("p");
    place.replaceChildren(el("h1", {}, title), summary,
        el("p", {}, button("Save as a file for tune, train and find", save)),
        el("table", { class: "answers" }, el("thead", {}, el("tr", {},
            ["One document", "The other", "Answer", "When", ""].map((head) => el("th", { scope: "col" }, head || el("span", { class: "quiet" }, "Change"))))), body),
        more);

    async function load(cursor) {
        const page = await api.judgments({ limit: 100, cursor }, signal);
        summary.replaceChildren(counted(page.total, "answer", "answers"));
        body.append(...page.judgments.map(row));
        more.replaceChildren(...(page.next ? [button("More answers", () => load(page.next))] : []));
    }

    function row(said) {
        const line = el("tr", {},
            [said.a, said.b].map((id) => el("td", {}, link(["document", id], {}, name(id, 80)))),
            el("td", {}, said.duplicate ? "duplicates" : "not duplicates"),
            el("td", {}, time(said.time)),
            el("td", {}, may("judge") ? button("Take back", async () => {
                try {
                    await api.judge(said.a, said.b, null);
                } catch (error) {
                    say(error.message);
                    return;
                }
                line.remove();
                say("Taken back.");
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

// What `tune` makes of the answers: which method and threshold fit them best, and what to expect of it.

import { api, pause } from "./api.js";
import { button, count, counted, el } from "./dom.js";

const BUDGET_SECONDS = 60;

/** The panel, and a way to bring it up to date. */
export function tunePanel(signal, mayAsk) {
    const content = el("div", {});
    const element = el("section", { class: "tune", "aria-labelledby": "tune-title" },
        el("h2", { id: "tune-title" }, "Which method fits your answers?"), content);
    let isWaiting = false;

    async function refresh() {
        try {
            let tuned = await api.tuned(signal);
            draw(tuned);
            while (tuned.state === "running" && !isWaiting) {
                isWaiting = true;
                await pause(1000, signal);
                isWaiting = false;
                tuned = await api.tuned(signal);
                draw(tuned);
            }
        } catch (error) {
            isWaiting = false;
            if (error.name !== "AbortError") content.replaceChildren(el("p", { class: "problem", role: "alert" }, error.message));
        }
    }

    async function start() {
        try {
            await api.tune({ budget_s: BUDGET_SECONDS });
        } catch (error) {
            content.append(el("p", { class: "problem", role: "alert" }, error.message));
            return;
        }
        await refresh();
    }

    function draw(tuned) {
        const { labels, state, result } = tuned;
        const isPossible = labels.yes > 0 && labels.no > 0;
        const gone = labels.not_there > 0 ? ` (and ${counted(labels.not_there, "pair", "pairs")} of documents that have been removed)` : "";
        content.replaceChildren(
            el("p", {}, `You and others marked ${counted(labels.yes, "pair", "pairs")} as duplicates and ${count(labels.no)} as not duplicates${gone}. `,
                isPossible ? "" : "Answer at least one pair of each kind to compare methods."),
            el("p", { role: "status" }, state === "running" ? "Comparing methods …" : null,
                state === "failed" ? el("span", { class: "problem" }, tuned.error) : null),
            mayAsk && state !== "running"
                ? button(`Compare methods (takes up to ${BUDGET_SECONDS} seconds)`, start, { disabled: !isPossible }) : "",
            result ? outcome(result) : "");
    }
    return { element, refresh };
}

function outcome(result) {
    const share = ({ mean, low, high }) => el("td", { class: "number" }, mean.toFixed(2), " ",
        el("span", { class: "dim" }, `${low.toFixed(2)}–${high.toFixed(2)}`));
    const row = (head, of) => el("tr", {}, head, share(of.precision), share(of.recall), share(of.f1));
    const method = (tried) => el("th", { scope: "row" }, tried.threshold === null || tried.threshold === undefined
        ? tried.method : `${tried.method} at ${tried.threshold.toFixed(2)}`);
    return el("div", {},
        el("table", { class: "ranking" },
            el("caption", {}, "Best first. The range in grey shows how certain each figure is. Precision: share of reported duplicates that are right. Recall: share of all duplicates that are found. F1: both together."),
            el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Method"),
                ["Precision", "Recall", "F1"].map((title) => el("th", { scope: "col", class: "number" }, title)))),
            el("tbody", {}, result.ranking.slice(0, 8).map((tried) => row(method(tried), tried))),
            el("tfoot", {}, row(el("th", { scope: "row" }, "Expected on new documents, with the best method"), result.promise))),
        result.notes.length > 0 ? el("ul", { class: "dim" }, result.notes.map((note) => el("li", {}, note))) : null,
        result.no_time_for.length > 0 ? el("p", { class: "dim" }, `Not tried, because the time was up: ${result.no_time_for.join(", ")}.`) : null,
        result.config === null
            ? el("p", { class: "dim" }, "The best method is trained on answers. Save the answers as a file, and ask whoever runs this service to train it.")
            : el("details", {}, el("summary", {}, "Settings of the best method, for whoever runs this service"), el("pre", {}, result.config)));
}

// What `tune` makes of the answers: which method and threshold fit them best, and what to expect of it.

import { api, pause } from "./api.js";
import { button, count, counted, el } from "./dom.js";

const BUDGET_SECONDS = 60;

/** The panel, and a way to bring it up to date. */
export function tunePanel(signal, mayAsk) {
    const content = el("div", {});
    const element = el("section", { class: "tune", "aria-labelledby": "tune-title" },
        el("h2", { id: "tune-title" }, "What the answers teach"), content);
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
        const gone = labels.not_there > 0 ? `, ${counted(labels.not_there, "pair", "pairs")} of documents that are gone` : "";
        content.replaceChildren(
            el("p", {}, `${counted(labels.yes, "pair is", "pairs are")} said to be duplicates, ${count(labels.no)} not to be${gone}. `,
                isPossible ? "" : "Answers of both kinds are needed."),
            el("p", { role: "status" }, state === "running" ? "Methods are being tried …" : null,
                state === "failed" ? el("span", { class: "problem" }, tuned.error) : null),
            mayAsk && state !== "running"
                ? button(`Try the methods (at most ${BUDGET_SECONDS} s)`, start, { disabled: !isPossible }) : "",
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
            el("caption", {}, "Best first; in grey the range within which the figure may lie"),
            el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Method"),
                ["Precision", "Recall", "F1"].map((title) => el("th", { scope: "col", class: "number" }, title)))),
            el("tbody", {}, result.ranking.slice(0, 8).map((tried) => row(method(tried), tried))),
            el("tfoot", {}, row(el("th", { scope: "row" }, "What to expect of the best on new documents"), result.promise))),
        result.notes.length > 0 ? el("ul", { class: "dim" }, result.notes.map((note) => el("li", {}, note))) : null,
        result.no_time_for.length > 0 ? el("p", { class: "dim" }, `There was no time for ${result.no_time_for.join(", ")}.`) : null,
        result.config === null
            ? el("p", { class: "dim" }, "The best one learns from the answers: save them, and let lookalike tune write its model.")
            : el("details", {}, el("summary", {}, "Configuration of the best, for --config"), el("pre", {}, result.config)));
}

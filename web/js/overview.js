// The overview: what is in the index, how it grew, and what was found in it.

import { api, pause } from "./api.js";
import { bytes, count, counted, el, facts, link, redraw, time } from "./dom.js";
import { bars, growth } from "./plots.js";

export const title = "Overview";

export async function show(place, { signal }) {
    for (;;) {
        const stat = await api.stat(signal);
        // What somebody has opened stays open.
        const isOpen = place.querySelector("details")?.open === true;
        redraw(place, el("h1", {}, title), figures(stat), plots(stat), links(stat), settings(stat, isOpen));
        if (stat.findings && !stat.findings.stale) return;
        // What was found is made anew beside us.
        await pause(3000, signal);
    }
}

function figures(stat) {
    const found = stat.findings;
    const share = found && found.documents > 0 ? `${(100 * found.copies / found.documents).toFixed(1)} % of all` : null;
    const figure = (value, of, note) => el("div", { class: "figure" },
        el("dt", {}, of), el("dd", {}, el("span", { class: "value" }, value), note ? el("span", { class: "dim" }, note) : null));
    const method = stat.threshold === null ? stat.method : `${stat.method} at ${stat.threshold}`;
    return el("dl", { class: "figures" },
        figure(count(stat.index.documents), "documents", method),
        figure(count(found?.copies), "copies", share),
        figure(count(found?.clusters), "clusters", found?.clusters ? `the largest of ${count(found.largest_cluster)}` : null),
        figure(count(found?.pairs), "pairs", found ? `found in ${found.seconds.toFixed(1)} s` : "being found …"),
        figure(count(stat.index.judgments), "pairs judged by people", null));
}

function plots(stat) {
    const found = stat.findings;
    const plot = (heading, picture, note) => el("section", { class: "plot" }, el("h2", {}, heading), picture,
        note ? el("p", { class: "dim" }, note) : null);
    const nothing = (what) => el("p", { class: "dim" }, what);
    const points = stat.growth.map((step) => ({ x: step.time, y: step.documents }));
    const sizes = (found?.sizes ?? []).map(({ from, to, count: n }) => ({ name: from === to ? `${from}` : `${from}–${to}`, count: n }));
    const scores = (found?.scores ?? []).map(({ from, count: n }) => ({ name: from.toFixed(2), count: n }));
    return el("div", { class: "plots" },
        plot("Growth", points.length > 0 ? growth("Documents", points, time) : nothing("Nothing has been added yet."),
            points.length > 0 ? "living documents, by the time they were added" : null),
        plot("Sizes of clusters", sizes.length > 0 ? bars("Clusters by documents in them", sizes) : nothing("No clusters yet."),
            sizes.length > 0 ? "clusters, by the documents in them" : null),
        plot("Scores of pairs", scores.length > 0 ? bars("Pairs by score, from", scores) : nothing("No pairs yet."),
            scores.length > 0 ? "confirmed pairs, by score from" : null));
}

function links(stat) {
    const found = stat.findings;
    if (stat.index.documents === 0) {
        return el("p", {}, "The index is empty. Documents are added with ", el("code", {}, "lookalike index add"),
            " while the service is stopped, or by ", el("code", {}, "POST /v1/documents"), " while it runs.");
    }
    return el("ul", { class: "next" },
        found?.clusters ? el("li", {}, link(["clusters"], {}, `Go through ${counted(found.clusters, "cluster", "clusters")}`)) : null,
        el("li", {}, link(["label"], {}, "Answer questions about pairs")),
        el("li", {}, link(["answers"], {}, `See what was answered (${count(stat.index.judgments)})`)),
        el("li", {}, link(["paste"], {}, "Paste a text and see what it copies")));
}

function settings(stat, isOpen) {
    const { index } = stat;
    return el("details", { open: isOpen }, el("summary", {}, "The index and its settings"),
        facts([
            ["lookalike", stat.version],
            ["which copy stays", stat.keep],
            ["stored of each document", stat.store],
            ["documents too short to judge", count(index.without_signature)],
            ["removed, not yet cleared away", count(index.tombstones)],
            ["on disk", `${bytes(index.segment_bytes)} in ${counted(index.segments, "segment", "segments")}, log ${bytes(index.log_bytes)}`],
            ["crowded keys", count(index.crowded_keys)],
            ["clusters as of", stat.findings ? time(stat.findings.made) : null],
        ]),
        el("pre", {}, stat.config));
}

// The overview: what is in the index, how it grew, and what was found in it.

import { api, pause } from "./api.js";
import { bytes, count, counted, el, facts, link, redraw, time } from "./dom.js";
import { bars, growth } from "./plots.js";

export const title = "Overview";

export async function show(place, { signal }) {
    if (!await draw(place, signal)) keepUp(place, signal);
}

/** Shows the index as it is; whether that is up to date. */
async function draw(place, signal) {
    const stat = await api.stat(signal);
    // What somebody has opened stays open.
    const isOpen = place.querySelector("details")?.open === true;
    redraw(place, el("h1", {}, title), figures(stat), plots(stat), links(stat), settings(stat, isOpen));
    return stat.findings !== null && !stat.findings.stale;
}

/** Draws again until the clusters, which are recomputed meanwhile, are up to date. */
async function keepUp(place, signal) {
    try {
        do {
            await pause(3000, signal);
        } while (!await draw(place, signal));
    } catch (error) {
        if (error.name !== "AbortError") place.prepend(el("p", { class: "problem", role: "alert" }, error.message));
    }
}

function figures(stat) {
    const found = stat.findings;
    const share = found && found.documents > 0 ? `${(100 * found.copies / found.documents).toFixed(1)} % of all documents` : null;
    const figure = (value, of, note) => el("div", { class: "figure" },
        el("dt", {}, of), el("dd", {}, el("span", { class: "value" }, value), note ? el("span", { class: "dim" }, note) : null));
    return el("dl", { class: "figures" },
        figure(count(stat.index.documents), "documents", null),
        figure(count(found?.copies), "copies", share),
        figure(count(found?.clusters), "clusters", found?.clusters ? `the largest has ${count(found.largest_cluster)} documents` : null),
        figure(count(found?.pairs), "pairs", found ? null : "being counted …"),
        figure(count(stat.index.judgments), "pairs answered by people", null));
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
            points.length > 0 ? "Number of documents over time" : null),
        plot("Sizes of clusters", sizes.length > 0 ? bars("Clusters by documents in them", sizes) : nothing("No clusters yet."),
            sizes.length > 0 ? "Number of clusters with this many documents" : null),
        plot("Similarity of pairs", scores.length > 0 ? bars("Pairs by similarity, from", scores) : nothing("No pairs yet."),
            scores.length > 0 ? "Number of pairs with this similarity (1 is identical)" : null));
}

function links(stat) {
    const found = stat.findings;
    if (stat.index.documents === 0) {
        return el("p", {}, "There are no documents yet. Whoever runs this service can add some with ", el("code", {}, "POST /v1/documents"), ".");
    }
    return el("ul", { class: "next" },
        found?.clusters ? el("li", {}, link(["clusters"], {}, `Review ${counted(found.clusters, "cluster", "clusters")}`)) : null,
        el("li", {}, link(["label"], {}, "Answer questions about pairs")),
        el("li", {}, link(["answers"], {}, `See all answers (${count(stat.index.judgments)})`)),
        el("li", {}, link(["paste"], {}, "Paste a text and see which documents it resembles")));
}

function settings(stat, isOpen) {
    const { index } = stat;
    return el("details", { open: isOpen }, el("summary", {}, "Technical details"),
        facts([
            ["version of lookalike", stat.version],
            ["how documents are compared", stat.threshold === null ? stat.method : `${stat.method}, similarity of at least ${stat.threshold}`],
            ["which document of a cluster is kept", stat.keep],
            ["what is stored of each document", stat.store],
            ["documents too short to compare", count(index.without_signature)],
            ["removed documents that still take up space", count(index.tombstones)],
            ["on disk", `${bytes(index.segment_bytes)} in ${counted(index.segments, "segment", "segments")}, log ${bytes(index.log_bytes)}`],
            ["bucket keys shared by very many documents", count(index.crowded_keys)],
            ["clusters found on", stat.findings ? time(stat.findings.made) : null],
        ]),
        el("pre", {}, stat.config));
}

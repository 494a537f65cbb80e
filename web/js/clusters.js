// The clusters to go through, and the order in which review goes through them.

import { api } from "./api.js";
import { address, button, count, counted, el, link, name, score, shortened } from "./dom.js";
import * as keys from "./keys.js";

export const title = "Clusters";

/** What is asked for; stays while one goes to a cluster and back. */
const filter = { sort: "size", judged: "", min_size: "", max_score: "", field: "" };

/**
 * The id of the cluster after another one in the order of the list, or the first; with `mustBeOpen` of those with
 * a pair that nobody has answered. `null` where there is none.
 */
export async function clusterAfter(after, mustBeOpen, signal) {
    const judged = mustBeOpen ? "open" : filter.judged;
    try {
        let page = { next: null };
        do {
            page = await api.clusters({ ...filter, judged, after, cursor: page.next, limit: 1 }, signal);
        } while (page.clusters.length === 0 && page.next);
        return page.clusters[0]?.id ?? null;
    } catch {
        return null;
    }
}

export async function show(place, context) {
    const list = el("ol", { class: "clusters", "aria-label": "Clusters" });
    const summary = el("p", { class: "dim", role: "status" });
    const more = el("p");
    place.replaceChildren(el("h1", {}, title),
        el("p", { class: "dim" }, "A cluster is one document that is kept, together with its near-duplicates."), form(() => load(null)), summary, list, more);
    keys.inThisView([
        { key: "j", does: "Next cluster", action: () => move(list, 1) },
        { key: "k", does: "Previous cluster", action: () => move(list, -1) },
        { key: "Enter", does: "Open the cluster", action: () => open(list) },
        { key: "g", does: "Open the first cluster with an unanswered pair", action: openFirst },
    ]);

    async function openFirst() {
        const first = await clusterAfter(null, true, context.signal);
        if (first) location.hash = address("cluster", first);
        else context.say("Every pair in these clusters has an answer.");
    }

    async function load(cursor) {
        const { signal } = context;
        if (cursor === null) list.setAttribute("aria-busy", "true");
        let page;
        try {
            page = await api.clusters({ ...filter, cursor, limit: 50 }, signal);
        } catch (error) {
            if (error.name === "AbortError") return;
            list.replaceChildren();
            more.replaceChildren();
            summary.replaceChildren(error.message);
            return;
        } finally {
            list.removeAttribute("aria-busy");
        }
        if (cursor === null) list.replaceChildren();
        list.append(...page.clusters.map(item));
        summary.replaceChildren(`${counted(page.total, "cluster", "clusters")} in all.`
            + (page.findings.stale ? " There are newer documents or answers; the list is being updated." : ""));
        more.replaceChildren(...(page.next ? [button("More clusters", () => load(page.next))] : []));
        if (list.children.length === 0 && !page.next) list.append(el("li", { class: "dim none" }, "No cluster matches."));
    }
    await load(null);
}

function form(changed) {
    const input = (label, key, attributes) => el("label", {}, label, " ",
        el("input", { ...attributes, value: filter[key], on: { change: (event) => set(key, event.target.value) } }));
    const set = (key, value) => {
        filter[key] = value;
        changed();
    };
    const select = (key, choices) => el("select", { on: { change: (event) => set(key, event.target.value) } },
        Object.entries(choices).map(([value, words]) => el("option", { value, selected: filter[key] === value }, words)));
    return el("form", { class: "filter", "aria-label": "Filter", on: { submit: (event) => event.preventDefault() } },
        el("label", {}, "Sort by ", select("sort", { size: "size", score: "lowest similarity", open: "unanswered first" })),
        el("label", {}, "Show ", select("judged", { "": "all", open: "unanswered", answered: "answered", disagreed: "people disagree" })),
        input("At least this many documents", "min_size", { type: "number", min: 2, step: 1, inputmode: "numeric" }),
        input("Lowest similarity at most", "max_score", { type: "number", min: 0, max: 1, step: 0.01, inputmode: "decimal" }),
        input("Kept document has", "field", { type: "text", placeholder: "source:Gazette", spellcheck: "false" }));
}

function item(cluster) {
    const { keeper } = cluster;
    const rest = cluster.size - 1 - cluster.members.length;
    return el("li", {}, link(["cluster", cluster.id], { class: "cluster" },
        el("span", { class: "size" }, count(cluster.size), el("span", { class: "quiet" }, " documents")),
        el("span", { class: "what" },
            el("span", { class: "line" }, name(keeper.title || cluster.id, 90),
                keeper.title ? el("span", { class: "dim" }, " ", name(cluster.id, 60)) : null),
            el("span", { class: "snippet", dir: "auto" }, keeper.gone ? "This document has been removed." : shortened(keeper.snippet ?? "", 200)),
            el("span", { class: "dim copies" }, "copies: ", cluster.members.flatMap((member, number) => [
                number > 0 ? ", " : "", name(member.id, 40)]), rest > 0 ? ` and ${count(rest)} more` : null)),
        el("span", { class: "lowest" }, el("span", { class: "dim" }, "lowest similarity"), " ", score(cluster.lowest_score),
            el("br"), el("span", { class: "dim" }, progress(cluster)))));
}

function progress({ size, open, disagreed }) {
    const answered = open === 0 ? "all answered" : `${count(size - 1 - open)} of ${count(size - 1)} answered`;
    return disagreed > 0 ? `${answered}, people disagree` : answered;
}

function links(list) {
    return [...list.querySelectorAll("a.cluster")];
}

function move(list, by) {
    const all = links(list);
    const at = all.indexOf(document.activeElement);
    all[at === -1 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
}

function open(list) {
    // A link or button that has the focus keeps its own meaning.
    const at = document.activeElement;
    const chosen = at instanceof HTMLElement && at.matches("a, button, summary") ? at : links(list)[0];
    // Clicking a link changes the address only later; the next key must not act before that.
    if (chosen?.hash?.startsWith("#/")) location.hash = chosen.hash;
    else chosen?.click();
}

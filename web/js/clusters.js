// The clusters to go through, and the order in which review goes through them.

import { api } from "./api.js";
import { button, count, counted, el, link, name, score, shortened } from "./dom.js";
import * as keys from "./keys.js";

export const title = "Clusters";

/** What is asked for; stays while one goes to a cluster and back. */
const filter = { sort: "size", min_size: "", max_score: "", field: "" };

/** The ids in the order of the list, so that review can go on to the next. */
let order = [];

export function clusterAfter(id) {
    const at = order.indexOf(id);
    return at === -1 ? (order.find((one) => one !== id) ?? null) : (order[at + 1] ?? null);
}

/** Without a list that was looked at, the order is that of the service. */
export async function ensureOrder(signal) {
    if (order.length > 0) return;
    order = (await api.clusters({ sort: filter.sort, limit: 200 }, signal)).clusters.map((cluster) => cluster.id);
}

export async function show(place, context) {
    const list = el("ol", { class: "clusters", "aria-label": "Clusters" });
    const summary = el("p", { class: "dim", role: "status" });
    const more = el("p");
    place.replaceChildren(el("h1", {}, title), form(() => load(null)), summary, list, more);
    keys.inThisView([
        { key: "j", does: "Next cluster", action: () => move(list, 1) },
        { key: "k", does: "Cluster before", action: () => move(list, -1) },
        { key: "Enter", does: "Review the cluster", action: () => open(list) },
    ]);

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
        if (cursor === null) {
            order = [];
            list.replaceChildren();
        }
        order.push(...page.clusters.map((cluster) => cluster.id));
        list.append(...page.clusters.map(item));
        summary.replaceChildren(`${counted(page.total, "cluster", "clusters")} in all`
            + (page.findings.stale ? "; documents or answers came since they were made" : ""));
        more.replaceChildren(...(page.next ? [button("More clusters", () => load(page.next))] : []));
        if (list.children.length === 0 && !page.next) list.append(el("li", { class: "dim none" }, "No such clusters."));
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
    const sort = el("select", { on: { change: (event) => set("sort", event.target.value) } },
        el("option", { value: "size", selected: filter.sort === "size" }, "the largest"),
        el("option", { value: "score", selected: filter.sort === "score" }, "the lowest score"));
    return el("form", { class: "filter", "aria-label": "Which clusters", on: { submit: (event) => event.preventDefault() } },
        el("label", {}, "First ", sort),
        input("Documents, at least", "min_size", { type: "number", min: 2, step: 1, inputmode: "numeric" }),
        input("Lowest score, at most", "max_score", { type: "number", min: 0, max: 1, step: 0.01, inputmode: "decimal" }),
        input("Field of the kept one", "field", { type: "text", placeholder: "NAME:VALUE", spellcheck: "false" }));
}

function item(cluster) {
    const { keeper } = cluster;
    const rest = cluster.size - 1 - cluster.members.length;
    return el("li", {}, link(["cluster", cluster.id], { class: "cluster" },
        el("span", { class: "size" }, count(cluster.size), el("span", { class: "quiet" }, " documents")),
        el("span", { class: "what" },
            el("span", { class: "line" }, name(keeper.title || cluster.id, 90),
                keeper.title ? el("span", { class: "dim" }, " ", name(cluster.id, 60)) : null),
            el("span", { class: "snippet", dir: "auto" }, keeper.gone ? "Removed since." : shortened(keeper.snippet ?? "", 200)),
            el("span", { class: "dim copies" }, "copies: ", cluster.members.flatMap((member, number) => [
                number > 0 ? ", " : "", name(member.id, 40)]), rest > 0 ? ` and ${count(rest)} more` : null)),
        el("span", { class: "lowest" }, el("span", { class: "dim" }, "lowest score"), " ", score(cluster.lowest_score))));
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
    if (at instanceof HTMLElement && at.matches("a, button, summary")) at.click();
    else links(list)[0]?.click();
}

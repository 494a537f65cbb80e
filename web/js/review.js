// A cluster, copy by copy, each beside the document that stays: accept, not a duplicate, keep the other.

import { api } from "./api.js";
import { address, button, counted, el, link, name, redraw, score, shortened } from "./dom.js";
import { clusterAfter, ensureOrder } from "./clusters.js";
import * as keys from "./keys.js";
import { pairElement, turnDifference, verdictLine } from "./pair.js";

export const title = "Review";

/** The last answer, wherever one is by now: the cluster as it was shown, and how to take it back. */
let undo = null;

/** A cluster to show as it was, for an answer that was taken back in another one. */
let shownAgain = null;

export async function show(place, { parts: [id], signal, say, may }) {
    const again = shownAgain?.cluster.id === id ? shownAgain : null;
    shownAgain = null;
    const first = again ? again.cluster : await api.cluster(id, { limit: 200 }, signal);
    const [keeper] = first.members;
    const copies = again ? again.copies : first.members.slice(1);
    let { next } = again ?? first;
    await ensureOrder(signal);

    const list = el("ol", { class: "copies-list" });
    const rail = el("nav", { class: "rail", "aria-label": "Copies in this cluster" },
        el("p", { class: "dim" }, `${counted(first.size - 1, "copy", "copies")} of`, el("br"), name(keeper.id, 40)), list);
    const actions = el("div", { class: "actions", role: "toolbar", "aria-label": "Your answer" });
    const content = el("section", { class: "content", "aria-label": "The pair", tabindex: "-1" });
    // Who does not see that another pair is shown is told.
    const told = el("p", { class: "quiet", role: "status" });
    place.replaceChildren(el("h1", {}, name(keeper.title || keeper.id, 90)), el("div", { class: "review" }, rail,
        el("div", { class: "desk" }, actions, told, content)));

    let at = again ? again.number : Math.max(copies.findIndex((copy) => copy.id === id), 0);
    let shownPair = null;
    let isBusy = false;

    function drawList() {
        redraw(list, copies.map((copy, number) => el("li", {}, el("button", {
            type: "button", class: "copy", "aria-current": number === at ? "true" : null,
            on: { click: () => go(number) },
        }, sign(copy), name(copy.id, 40), el("span", { class: "dim" }, score(copy.score))))),
        next ? el("li", {}, button("More copies", () => attempt(loadMore))) : null);
    }

    async function loadMore() {
        const page = await api.cluster(keeper.id, { limit: 200, cursor: next }, signal);
        copies.push(...page.members);
        next = page.next;
        drawList();
        return page;
    }

    async function go(number) {
        if (number < 0) return;
        if (number >= copies.length && next && !await attempt(loadMore)) return;
        if (number >= copies.length) {
            end();
            return;
        }
        at = number;
        // Until the pair is there, no answer can be meant for it.
        const wasShown = shownPair !== null;
        shownPair = null;
        drawList();
        list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
        content.setAttribute("aria-busy", "true");
        if (!wasShown) content.replaceChildren(el("p", { class: "dim" }, "One moment …"));
        drawActions();
        const copy = copies[at];
        const pair = await attempt(() => api.pair(keeper.id, copy.id, signal));
        content.removeAttribute("aria-busy");
        if (!pair || copies[at] !== copy) return;
        shownPair = pair;
        draw();
        told.replaceChildren(`Copy ${at + 1} of ${first.size - 1}: ${shortened(copy.id, 80)}`);
    }

    function draw() {
        content.replaceChildren(verdictLine(shownPair), pairElement(shownPair, ["Stays", "Copy"]));
        drawActions();
    }

    function drawActions() {
        const judges = may("judge");
        redraw(actions,
            judges ? button("Duplicate", () => answer(true), { class: "yes" }, "y") : "",
            judges ? button("Not a duplicate", () => answer(false), { class: "no" }, "n") : "",
            judges ? button("Keep the other one", keepOther, {}, "o") : "",
            judges ? button("Undo", takeBack, { disabled: undo === null }, "u") : "",
            el("span", { class: "where" }, `${at + 1} of ${first.size - 1}`),
            button("Back", () => go(at - 1), { disabled: at === 0 }, "k"),
            button("Next", () => go(at + 1), {}, "j"),
            button("View", turn, { title: "Side by side, or both texts as one" }, "v"));
    }

    function turn() {
        say(turnDifference());
        if (shownPair) draw();
    }

    /** One answer at a time, so that none is sent twice; `act` gives the copy to go to, or nothing. */
    async function once(act) {
        if (isBusy) return;
        isBusy = true;
        let to;
        try {
            to = await act();
        } finally {
            isBusy = false;
        }
        if (to !== undefined) await go(to);
    }

    const answer = (duplicate) => once(async () => {
        if (!shownPair || !may("judge")) return undefined;
        const [copy, number] = [copies[at], at];
        const before = copy.judged;
        if (!await attempt(() => api.judge(keeper.id, copy.id, duplicate))) return undefined;
        copy.judged = duplicate;
        remember(number, before, () => api.judge(keeper.id, copy.id, before));
        say(duplicate ? "Answered: a duplicate." : "Answered: not a duplicate. The two stay apart from now on.");
        return number + 1;
    });

    const keepOther = () => once(async () => {
        if (!shownPair || !may("judge")) return undefined;
        const [copy, number] = [copies[at], at];
        const before = copy.judged;
        if (!await attempt(() => api.keep(copy.id, keeper.id))) return undefined;
        copy.judged = true;
        copy.preferred = true;
        remember(number, before, async () => {
            await api.keep(keeper.id, copy.id);
            // To keep one is to say that the two are duplicates.
            return api.judge(keeper.id, copy.id, before);
        });
        say("From now on the other one stays.");
        return number + 1;
    });

    function remember(number, before, act) {
        undo = { cluster: first, copies, number, next, before, act };
    }

    const takeBack = () => once(async () => {
        if (!undo) return undefined;
        const last = undo;
        if (!await attempt(last.act)) return undefined;
        undo = null;
        const taken = last.copies[last.number];
        const here = last.cluster.id === first.id ? copies.findIndex((copy) => copy.id === taken.id) : -1;
        for (const copy of [taken, copies[here] ?? taken]) Object.assign(copy, { judged: last.before, preferred: false });
        if (here !== -1) {
            say("Taken back.");
            return here;
        }
        // A new run may not know the cluster any more: it is shown as it was.
        shownAgain = last;
        location.hash = address("cluster", last.cluster.id);
        return undefined;
    });

    /** The end of the cluster: what was said, and where to go on. */
    function end() {
        const following = clusterAfter(keeper.id) ?? clusterAfter(first.id);
        shownPair = null;
        at = copies.length;
        drawList();
        const open = copies.filter((copy) => copy.judged === null).length;
        const on = following
            ? link(["cluster", following], { class: "button", id: "next-cluster" }, "Next cluster ", el("kbd", {}, "j"))
            : link(["clusters"], { class: "button", id: "next-cluster" }, "To the clusters ", el("kbd", {}, "j"));
        redraw(actions,
            may("judge") ? button("Undo", takeBack, { disabled: undo === null }, "u") : null,
            el("span", { class: "where" }), button("Back", () => go(copies.length - 1), {}, "k"), on);
        const sentence = open === 0
            ? "Every copy in this cluster has an answer." : `The end of the cluster. ${counted(open, "copy has", "copies have")} no answer yet.`;
        content.replaceChildren(el("p", {}, sentence));
        told.replaceChildren(sentence);
    }

    /** Does something that may fail; a failure is shown, and nothing else changes. */
    async function attempt(act) {
        try {
            return await act();
        } catch (error) {
            if (error.name !== "AbortError") {
                content.querySelector(".problem")?.remove();
                content.prepend(el("p", { class: "problem", role: "alert" }, error.message));
            }
            return null;
        }
    }

    keys.inThisView([
        ...may("judge") ? [
            { key: "y", does: "A duplicate: accept", action: () => answer(true) },
            { key: "n", does: "Not a duplicate", action: () => answer(false) },
            { key: "o", does: "A duplicate, but keep the other one", action: keepOther },
            { key: "u", does: "Take the last answer back", action: takeBack }] : [],
        { key: "j", does: "Next copy, at the end next cluster", action: () => {
            if (at < copies.length) go(at + 1);
            else document.getElementById("next-cluster")?.click();
        } },
        { key: "k", does: "Copy before", action: () => go(Math.min(at, copies.length) - 1) },
        { key: "v", does: "Side by side, or both texts as one", action: turn },
        { key: "Escape", does: "Back to the clusters", action: () => { location.hash = "#/clusters"; } },
    ]);
    await go(at);
    if (again) say("Taken back.");
}

/** What was said of a copy, as a sign with words for those who do not see it. */
function sign(copy) {
    const [mark, words, kind] = copy.preferred ? ["⇄", "kept instead", "yes"]
        : copy.judged === true ? ["✓", "duplicate", "yes"]
            : copy.judged === false ? ["✕", "not a duplicate", "no"] : ["·", "no answer", "none"];
    return el("span", { class: `sign ${kind}`, title: words }, el("span", { "aria-hidden": "true" }, mark),
        el("span", { class: "quiet" }, words));
}

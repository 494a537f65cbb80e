// A cluster, copy by copy, each beside the document that is kept: duplicate, no duplicate, keep the other.

import { api } from "./api.js";
import { address, button, counted, el, link, name, redraw, score, shortened } from "./dom.js";
import { clusterAfter } from "./clusters.js";
import * as keys from "./keys.js";
import { pairElement, turnDifference, verdictLine } from "./pair.js";

export const title = "Review";

/** Answers, the last one at the end: each with the cluster as it was shown, and how to take it back. */
const answers = [];
const MOST_ANSWERS = 1000;

/** A cluster to show as it was, for an answer that was taken back in another one. */
let shownAgain = null;

const isOpen = (copy) => copy.judged === null;

export async function show(place, { parts: [id], signal, say, may, person }) {
    const again = shownAgain?.cluster.id === id ? shownAgain : null;
    shownAgain = null;
    const first = again ? again.cluster : await api.cluster(id, { limit: 200 }, signal);
    const [keeper] = first.members;
    const copies = again ? again.copies : first.members.slice(1);
    let { next } = again ?? first;
    // Asked now: a new run may not know this cluster any more when somebody wants to go on.
    const following = clusterAfter(first.id, false, signal);
    const followingOpen = clusterAfter(first.id, true, signal);

    const list = el("ol", { class: "copies-list" });
    const rail = el("nav", { class: "rail", "aria-label": "Copies in this cluster" },
        el("p", { class: "dim" }, `${counted(first.size - 1, "copy", "copies")} of`, el("br"), name(keeper.id, 40)), list);
    const actions = el("div", { class: "actions", role: "toolbar", "aria-label": "Your answer" });
    const content = el("section", { class: "content", "aria-label": "The pair", tabindex: "-1" });
    // Screen readers announce that another pair is shown.
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

    /** Shows a copy; `false` where that failed. */
    async function go(number) {
        if (number < 0) return true;
        if (number >= copies.length && next && !await attempt(loadMore)) return false;
        if (number >= copies.length) {
            await end();
            return true;
        }
        at = number;
        // Until the pair is there, no click can be meant for it.
        const wasShown = shownPair !== null;
        shownPair = null;
        drawList();
        list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
        content.setAttribute("aria-busy", "true");
        if (!wasShown) content.replaceChildren(el("p", { class: "dim" }, "Loading …"));
        drawActions();
        const copy = copies[at];
        const pair = await attempt(() => api.pair(keeper.id, copy.id, signal));
        content.removeAttribute("aria-busy");
        if (!pair || copies[at] !== copy) return false;
        shownPair = pair;
        draw();
        told.replaceChildren(`Copy ${at + 1} of ${first.size - 1}: ${shortened(copy.id, 80)}`);
        return true;
    }

    function draw() {
        content.replaceChildren(verdictLine(shownPair), pairElement(shownPair, ["Kept", "Copy"]));
        drawActions();
    }

    function drawActions() {
        const judges = may("judge");
        redraw(actions,
            judges ? button("Duplicate", () => answer(true), { class: "yes" }, "y") : "",
            judges ? button("Not a duplicate", () => answer(false), { class: "no" }, "n") : "",
            judges ? button("Keep the other one", keepOther, {}, "o") : "",
            judges ? button("Undo", takeBack, { disabled: answers.length === 0 }, "u") : "",
            el("span", { class: "where" }, `${at + 1} of ${first.size - 1}`),
            button("Previous", () => go(at - 1), { disabled: at === 0 }, "k"),
            button("Next", () => go(at + 1), {}, "j"),
            button("Next unanswered", nextOpen, {}, "g"),
            button("View", turn, { title: "Side by side, or both texts in one" }, "v"));
    }

    function turn() {
        say(turnDifference());
        if (shownPair) draw();
    }

    /** One answer at a time, so that none is sent twice. */
    async function once(act) {
        if (isBusy) return false;
        isBusy = true;
        try {
            return await act();
        } finally {
            isBusy = false;
        }
    }

    /** Writes an answer down, and goes on to the next pair. */
    const answered = (duplicate, preferred, sentence) => once(async () => {
        if (!may("judge")) return false;
        // At the end of a cluster there is no pair to answer.
        if (!shownPair) return at >= copies.length;
        const [copy, number] = [copies[at], at];
        const before = { judged: copy.judged, judgments: copy.judgments, preferred: copy.preferred };
        const keep = preferred ? copy.id : undefined;
        const told = await attempt(() => api.judge({ a: keeper.id, b: copy.id, duplicate, keep }));
        if (!told) return false;
        const others = (copy.judgments ?? []).filter((said) => (said.by ?? "") !== person);
        Object.assign(copy, { judged: duplicate, preferred, judgments: [...others, told.judgments[0]] });
        answers.push({ cluster: first, copies, number, next, before, keeper: keeper.id });
        if (answers.length > MOST_ANSWERS) answers.shift();
        say(sentence);
        if (number + 1 < copies.length || next || copies.some(isOpen)) return go(number + 1);
        const open = await followingOpen ?? await clusterAfter(null, true, signal);
        if (!open || open === first.id) return go(number + 1);
        location.hash = address("cluster", open);
        return true;
    });

    const answer = (duplicate) => answered(duplicate, false, duplicate ? "Answered: a duplicate." : "Answered: not a duplicate. Both documents are kept.");

    const keepOther = () => answered(true, true, "Answered: a duplicate, and the other one is kept.");

    /** Takes the last answer back: what the same person had said of the pair before holds again. */
    const takeBack = () => once(async () => {
        const last = answers.at(-1);
        if (!last) return true;
        const taken = last.copies[last.number];
        const own = (last.before.judgments ?? []).find((said) => (said.by ?? "") === person);
        const { duplicate, keep, time, how } = own ?? { duplicate: null };
        if (!await attempt(() => api.judge({ a: last.keeper, b: taken.id, duplicate, keep, time, how }))) return false;
        answers.pop();
        const here = last.cluster.id === first.id ? copies.findIndex((copy) => copy.id === taken.id) : -1;
        for (const copy of [taken, copies[here] ?? taken]) Object.assign(copy, last.before);
        if (here !== -1) {
            say("The last answer is taken back.");
            return go(here);
        }
        // A new run may not know the cluster any more: it is shown as it was.
        shownAgain = last;
        location.hash = address("cluster", last.cluster.id);
        return true;
    });

    /** The next pair without an answer, here or in a later cluster. */
    async function nextOpen() {
        let number = at + 1;
        for (;;) {
            while (number < copies.length && !isOpen(copies[number])) number += 1;
            if (number < copies.length) return go(number);
            if (!next) break;
            if (!await attempt(loadMore)) return false;
        }
        const open = await followingOpen ?? await clusterAfter(null, true, signal);
        if (open && open !== first.id) {
            location.hash = address("cluster", open);
            return true;
        }
        const here = copies.findIndex(isOpen);
        if (here !== -1) return go(here);
        say("Every pair has an answer.");
        return true;
    }

    async function nextCluster() {
        location.hash = address(...await followingAddress());
    }

    async function followingAddress() {
        const other = await following;
        return other && other !== first.id ? ["cluster", other] : ["clusters"];
    }

    /** The end of the cluster: what was answered, and where to go on. */
    async function end() {
        shownPair = null;
        at = copies.length;
        drawList();
        const open = copies.filter(isOpen).length;
        const to = await followingAddress();
        redraw(actions,
            may("judge") ? button("Undo", takeBack, { disabled: answers.length === 0 }, "u") : null,
            el("span", { class: "where" }), button("Previous", () => go(copies.length - 1), {}, "k"),
            link(to, { class: "button", id: "next-cluster" }, to[0] === "cluster" ? "Next cluster " : "Back to the clusters ", el("kbd", {}, "j")),
            button("Next unanswered", nextOpen, {}, "g"));
        const sentence = open === 0
            ? "Every copy in this cluster has an answer." : `This is the end of the cluster. ${counted(open, "copy has", "copies have")} no answer yet.`;
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
            { key: "y", does: "The two are duplicates", action: () => answer(true) },
            { key: "n", does: "The two are not duplicates", action: () => answer(false) },
            { key: "o", does: "They are duplicates, but keep the other one", action: keepOther },
            { key: "u", does: "Take the last answer back", action: takeBack }] : [],
        { key: "j", does: "Next copy; at the end, next cluster", action: () => (at < copies.length ? go(at + 1) : nextCluster()) },
        { key: "k", does: "Previous copy", action: () => go(Math.min(at, copies.length) - 1) },
        { key: "g", does: "Next pair without an answer", action: nextOpen },
        { key: "v", does: "Side by side, or both texts in one", action: turn },
        { key: "Escape", does: "Back to the clusters", action: () => { location.hash = "#/clusters"; } },
    ]);
    await go(at);
    if (again) say("The last answer is taken back.");
}

/** What people said of a copy, as a sign with words for screen readers. */
function sign(copy) {
    const isDisputed = new Set((copy.judgments ?? []).map((said) => said.duplicate)).size > 1;
    const [mark, words, kind] = copy.preferred ? ["⇄", "kept instead", "yes"]
        : isDisputed ? ["≠", "people disagree", "no"]
            : copy.judged === true ? ["✓", "duplicate", "yes"]
                : copy.judged === false ? ["✕", "not a duplicate", "no"] : ["·", "no answer", "none"];
    return el("span", { class: `sign ${kind}`, title: words }, el("span", { "aria-hidden": "true" }, mark),
        el("span", { class: "quiet" }, words));
}

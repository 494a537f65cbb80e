// Questions: pairs of all scores, one after the other, and what `tune` makes of the answers.

import { api } from "./api.js";
import { button, counted, el, link, redraw, text } from "./dom.js";
import * as keys from "./keys.js";
import { pairElement, turnDifference } from "./pair.js";
import { tunePanel } from "./tune.js";

export const title = "Questions";

const same = (left, right) => left.a.id === right.a.id && left.b.id === right.b.id;

/** Pairs that were skipped, until the page is loaded again. */
const skipped = [];

/** Documents may have been removed since questions were looked for. */
function isOpen(question) {
    return !question.a.gone && !question.b.gone && !skipped.some((other) => same(question, other));
}

export async function show(place, { signal, say, may }) {
    const progress = el("p", { class: "progress dim", role: "status" });
    const actions = el("div", { class: "actions", role: "toolbar", "aria-label": "Your answer" });
    const content = el("section", { class: "content", "aria-label": "The pair" });
    place.replaceChildren(el("h1", {}, "Are these two duplicates?"),
        el("p", { class: "dim" }, "Your answers help to find the best way of comparing documents."), progress, actions, content);
    const tuning = tunePanel(signal, may("judge"));
    place.append(tuning.element);

    let asked = null;
    let question = null;
    let pair = null;
    let undo = null;
    let isBusy = false;

    async function ask() {
        content.setAttribute("aria-busy", "true");
        try {
            asked = await api.questions(Math.min(skipped.length + 10, 200), signal);
            question = asked.questions.find((one) => isOpen(one)) ?? null;
            await present();
            drawProgress();
        } catch (error) {
            if (error.name === "AbortError") return;
            question = null;
            finish(error.message);
        } finally {
            content.removeAttribute("aria-busy");
        }
    }

    function drawProgress() {
        progress.replaceChildren(`${counted(asked.answered, "answer", "answers")} so far, ${counted(asked.open, "pair", "pairs")} left. `
            + `By these answers, two documents are duplicates from a similarity of ${asked.line.toFixed(2)} by ${asked.measure}.`);
    }

    async function present() {
        if (!question) {
            finish(skipped.length > 0 ? "All other pairs have an answer." : "All pairs have an answer.");
            return;
        }
        pair = await api.pair(question.a.id, question.b.id, signal);
        draw();
    }

    function draw() {
        // The score is not shown before the answer: it would lead the person.
        content.replaceChildren(pairElement(pair, ["Left", "Right"]));
        drawActions();
        window.scrollTo(0, 0);
    }

    function finish(sentence) {
        pair = null;
        const ways = [el("p", {}, sentence)];
        if (skipped.length > 0) {
            ways.push(button("Show the skipped pairs again", () => {
                skipped.length = 0;
                ask();
            }));
        }
        content.replaceChildren(...ways);
        drawActions();
    }

    function drawActions() {
        const isOff = pair === null;
        const answers = may("judge") ? [
            button("Duplicates", () => answer(true), { class: "yes", disabled: isOff }, "y"),
            button("Not duplicates", () => answer(false), { class: "no", disabled: isOff }, "n"),
            button("Skip", skip, { disabled: isOff }, "s"),
            button("Undo", takeBack, { disabled: undo === null }, "u")]
            : [el("span", { class: "dim" }, "Your access allows reading only.")];
        redraw(actions, answers, el("span", { class: "where" }), button("View", turn, { disabled: isOff }, "v"));
    }

    function turn() {
        say(turnDifference());
        if (pair) draw();
    }

    /** One thing at a time: a second click while an answer is on its way is not taken for the next pair. */
    async function once(act) {
        if (isBusy) return false;
        isBusy = true;
        try {
            await act();
            return true;
        } catch (error) {
            if (error.name !== "AbortError") content.prepend(el("p", { class: "problem", role: "alert" }, text(error.message)));
            return false;
        } finally {
            isBusy = false;
        }
    }

    const answer = (duplicate) => once(async () => {
        if (!pair || !may("judge")) return;
        const [a, b] = [question.a.id, question.b.id];
        await api.judge({ a, b, duplicate, how: "label" });
        undo = question;
        say(duplicate ? "Answered: duplicates." : "Answered: not duplicates.");
        tuning.refresh();
        await ask();
    });

    const skip = () => once(async () => {
        if (!pair) return;
        skipped.push(question);
        await ask();
    });

    const takeBack = () => once(async () => {
        if (!undo) return;
        question = undo;
        await api.judge({ a: question.a.id, b: question.b.id, duplicate: null });
        undo = null;
        say("The last answer is taken back.");
        tuning.refresh();
        await present();
        asked.answered -= 1;
        drawProgress();
    });

    keys.inThisView([
        ...may("judge") ? [
            { key: "y", does: "The two are duplicates", action: () => answer(true) },
            { key: "n", does: "The two are not duplicates", action: () => answer(false) },
            { key: "s", does: "Skip this pair", action: skip },
            { key: "u", does: "Take the last answer back", action: takeBack }] : [],
        { key: "v", does: "Side by side, or both texts in one", action: turn },
    ]);
    place.append(el("p", {}, link(["answers"], {}, "All answers so far")));
    // Methods may be compared for a minute: nobody waits for that.
    tuning.refresh();
    await ask();
}

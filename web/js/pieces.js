// Long things piece by piece: what is not near the window is not made yet.

import { button, el, isHighSurrogate, text } from "./dom.js";

/** Characters of a piece of text. */
const PIECE = 4000;

/**
 * Fills `container` with what `make(number)` gives, `batch` of `total` at a time, when the end comes
 * near the window. The button does the same for those who do not scroll.
 */
export function piecemeal(container, total, make, batch = 60) {
    let made = 0;
    const more = button("Show more", () => grow(), { class: "more" });
    const watch = new IntersectionObserver((entries) => {
        if (entries.some((entry) => entry.isIntersecting)) grow();
    }, { rootMargin: "1200px" });

    function grow() {
        const added = document.createDocumentFragment();
        for (const end = Math.min(made + batch, total); made < end; made += 1) added.append(make(made));
        container.append(added);
        if (made === total) {
            watch.disconnect();
            more.remove();
        } else {
            more.replaceChildren(text(`Show more (${made} of ${total} parts are shown)`));
            // It is seen anew, should its place still be near.
            watch.unobserve(more);
            watch.observe(more);
        }
    }
    const whole = el("div", { class: "piecemeal" }, container, more);
    grow();
    return whole;
}

/** Where a text is cut: after a line, else after a word, else anywhere but inside a character. */
export function cuts(value, size = PIECE) {
    const places = [0];
    let start = 0;
    while (value.length - start > size) {
        const piece = value.slice(start, start + size);
        let end = piece.lastIndexOf("\n") + 1 || piece.lastIndexOf(" ") + 1 || size;
        if (isHighSurrogate(value.charCodeAt(start + end - 1))) end -= 1;
        start += end;
        places.push(start);
    }
    places.push(value.length);
    return places;
}

/** A whole text, however long; `places` (start and end, in order, apart) are marked. */
export function longText(value, places = []) {
    const at = cuts(value);
    const container = el("div", { class: "long", dir: "auto" });
    return piecemeal(container, at.length - 1, (number) =>
        el("div", { class: "piece", dir: "auto" }, marked(value, at[number], at[number + 1], places)), 20);
}

/** The text from `start` to `end`, with the places that lie in it marked. */
function marked(value, start, end, places) {
    const parts = [];
    let written = start;
    for (const place of places) {
        const [from, to] = [Math.max(place.start, written), Math.min(place.end, end)];
        if (from >= to) continue;
        parts.push(value.slice(written, from), el("mark", {}, value.slice(from, to)));
        written = to;
    }
    parts.push(value.slice(written, end));
    return parts;
}

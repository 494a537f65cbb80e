// Elements from data. All foreign text goes through `el` or `text`, which make text nodes of it: there
// is no other way from an answer of the service to the document.

/** An element with attributes, listeners (`on`) and children; what is no node becomes text. */
export function el(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (key === "on") {
            for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
        } else {
            element.setAttribute(key, value === true ? "" : String(value));
        }
    }
    element.append(...nodes(children));
    return element;
}

function nodes(children) {
    return children.flat(Infinity)
        .filter((child) => child !== null && child !== undefined && child !== false)
        .map((child) => (child instanceof Node ? child : text(child)));
}

/** Text as it may be shown: control characters other than white space are replaced. */
export function visible(value) {
    // eslint-disable-next-line no-control-regex
    return String(value).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, "\ufffd");
}

export function text(value) {
    return document.createTextNode(visible(value));
}

/** An id, a title or the like: kept apart from the direction of what surrounds it, and bounded. */
export function name(value, characters = 120) {
    const whole = String(value);
    return el("bdi", { class: "name", title: whole.length > characters ? visible(whole.slice(0, 2000)) : undefined },
        whole === "" ? "(empty)" : shortened(whole, characters));
}

/** The beginning of a text, never cut inside a character. */
export function shortened(value, characters) {
    if (value.length <= characters) return value;
    const end = isHighSurrogate(value.charCodeAt(characters - 1)) ? characters - 1 : characters;
    return value.slice(0, end) + "…";
}

export function isHighSurrogate(code) {
    return code >= 0xd800 && code < 0xdc00;
}

/** A link within the page. Its parts are encoded, so that no id can lead elsewhere. */
export function link(parts, attributes, ...children) {
    return el("a", { ...attributes, href: address(...parts) }, ...children);
}

export function address(...parts) {
    return "#/" + parts.map(encodeURIComponent).join("/");
}

export function button(label, action, attributes = {}, key = null) {
    return el("button", { type: "button", "aria-keyshortcuts": key, ...attributes, on: { click: action } },
        label, key ? [" ", el("kbd", {}, key)] : []);
}

/**
 * Replaces what is in an element. Whoever had the focus there keeps it: on the control of the same words,
 * else on the one at the same place; without this the next Tab would begin at the top of the page.
 */
export function redraw(element, ...children) {
    const controls = () => [...element.querySelectorAll(":is(a, button, summary, input, select):not(:disabled)")];
    const before = controls();
    const at = before.indexOf(document.activeElement);
    element.replaceChildren(...nodes(children));
    if (at === -1) return;
    const now = controls();
    const alike = now.find((one) => one.textContent === before[at].textContent);
    (alike ?? now[Math.min(at, now.length - 1)])?.focus({ preventScroll: true });
}

const numbers = new Intl.NumberFormat("en");

export function count(value) {
    return value === null || value === undefined ? "–" : numbers.format(value);
}

/** "1 copy", "2 copies". */
export function counted(value, one, many) {
    return `${count(value)} ${value === 1 ? one : many}`;
}

export function score(value) {
    return value === null || value === undefined ? "no score" : value.toFixed(3);
}

/** A time in milliseconds as date and minute, in the time zone of the person. */
export function time(milliseconds) {
    const at = new Date(milliseconds);
    if (Number.isNaN(at.getTime())) return "–";
    const two = (value) => String(value).padStart(2, "0");
    return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

export function bytes(value) {
    if (value < 1000) return `${value} bytes`;
    return value < 1e6 ? `${(value / 1e3).toFixed(1)} kB` : `${(value / 1e6).toFixed(1)} MB`;
}

/** Name and value, one below the other. */
export function facts(rows) {
    return el("dl", {}, rows.filter(([, value]) => value !== null && value !== undefined)
        .map(([key, value]) => [el("dt", {}, key), el("dd", {}, value)]));
}

// Single keys for what a person does a thousand times. They can be turned off, and do nothing while
// somebody writes.

const ON = "lookalike-keys";

const everywhere = [];
let here = [];

export function areOn() {
    return localStorage.getItem(ON) !== "off";
}

export function turn(on) {
    localStorage.setItem(ON, on ? "on" : "off");
    document.documentElement.toggleAttribute("data-no-keys", !on);
}

/** Keys of every view: `{ key, does, action }`. */
export function always(...keys) {
    everywhere.push(...keys);
}

/** The keys of the view that is shown; those of the one before are forgotten. */
export function inThisView(keys) {
    here = keys;
}

export function listed() {
    return { here, everywhere };
}

export function listen() {
    turn(areOn());
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
        if (!areOn() || document.querySelector("dialog[open]") || writes(event.target)) return;
        const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        const found = [...here, ...everywhere].find((one) => one.key === pressed);
        if (!found) return;
        event.preventDefault();
        found.action();
    });
}

function writes(target) {
    return target instanceof HTMLElement
        && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName)
            || (target.tagName === "INPUT" && target.type !== "checkbox"));
}

// Single keys for what a person does a thousand times. They can be turned off, and do nothing while
// somebody writes. They act one after the other: a key that is pressed while a page loads waits for it.

const ON = "lookalike-keys";

const everywhere = [];
let here = [];

/** Keys that were pressed and have not acted yet. */
const waiting = [];
let isActing = false;

/** The address of the view that is shown, and when all of it is there. */
let shown = { hash: null, ready: Promise.resolve() };
let isLoading = false;

export function areOn() {
    return localStorage.getItem(ON) !== "off";
}

export function turn(on) {
    localStorage.setItem(ON, on ? "on" : "off");
    document.documentElement.toggleAttribute("data-no-keys", !on);
}

/** Keys of every view: `{ key, does, action }`. An action that gives `false` failed. */
export function always(...keys) {
    everywhere.push(...keys);
}

/** The keys of the view that is shown; those of the previous view are forgotten. */
export function inThisView(keys) {
    here = keys;
}

/** The view of an address is being loaded; keys wait until `ready` is settled. */
export function showing(hash, ready) {
    shown = { hash, ready };
    isLoading = true;
    ready.finally(() => { isLoading = shown.ready !== ready; });
}

export function listed() {
    return { here, everywhere };
}

function find(pressed) {
    return [...here, ...everywhere].find((one) => one.key === pressed);
}

export function listen() {
    turn(areOn());
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
        if (!areOn() || document.querySelector("dialog[open]") || writes(event.target)) return;
        const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (find(pressed)) event.preventDefault();
        // While a view loads its keys are not known yet. Enter and the like mean what has the focus.
        else if (!(isActing || isLoading) || (pressed.length > 1 && pressed !== "Escape")) return;
        waiting.push(pressed);
        act();
    });
    // Whoever takes the mouse means what is shown now, not what the keys would have led to.
    document.addEventListener("pointerdown", () => { waiting.length = 0; });
}

async function act() {
    if (isActing) return;
    isActing = true;
    try {
        while (waiting.length > 0) {
            // Keys of every view need not wait for this one.
            if (!everywhere.some((one) => one.key === waiting[0])) await settled();
            const pressed = waiting.shift();
            const found = pressed === undefined ? null : find(pressed);
            // What was pressed after a key that failed was meant for another pair than the one shown.
            if (found && await found.action() === false) waiting.length = 0;
        }
    } finally {
        isActing = false;
    }
}

/** Waits until the view of the current address is shown. */
async function settled() {
    for (;;) {
        if (shown.hash !== location.hash) {
            await new Promise((resolve) => { addEventListener("hashchange", resolve, { once: true }); });
            continue;
        }
        const { ready } = shown;
        await ready;
        if (ready === shown.ready && shown.hash === location.hash) return;
    }
}

function writes(target) {
    return target instanceof HTMLElement
        && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName)
            || (target.tagName === "INPUT" && target.type !== "checkbox"));
}

// Routes, theme, keys and token: what is around the views.

import { api, onTokenWanted } from "./api.js";
import { el } from "./dom.js";
import * as keys from "./keys.js";
import * as answers from "./answers.js";
import * as clusters from "./clusters.js";
import * as documentView from "./document.js";
import * as label from "./label.js";
import * as overview from "./overview.js";
import * as paste from "./paste.js";
import * as review from "./review.js";

/** Where each address leads: the view, and the entry of the navigation it belongs to. */
const VIEWS = {
    "": [overview, "overview"],
    clusters: [clusters, "clusters"],
    cluster: [review, "clusters"],
    document: [documentView, null],
    label: [label, "label"],
    answers: [answers, "label"],
    paste: [paste, "paste"],
};

const main = document.getElementById("main");
const status = document.getElementById("status");
let leave = new AbortController();
let isFirst = true;

/** Says something to everybody: seen in a corner, read out by screen readers. */
function say(sentence) {
    status.replaceChildren(el("p", {}, sentence));
    clearTimeout(say.timer);
    say.timer = setTimeout(() => status.replaceChildren(), 6000);
}

function show() {
    const ready = load();
    keys.showing(location.hash, ready);
    return ready;
}

async function load() {
    const hash = location.hash || "#/";
    if (!hash.startsWith("#/")) return;
    let parts;
    try {
        parts = hash.slice(2).split("/").map(decodeURIComponent);
    } catch {
        parts = ["nowhere"];
    }
    leave.abort();
    leave = new AbortController();
    const { signal } = leave;
    const [view, entry] = Object.hasOwn(VIEWS, parts[0]) ? VIEWS[parts[0]] : [null, null];
    for (const item of document.querySelectorAll("nav a")) {
        if (item.dataset.view === entry) item.setAttribute("aria-current", "page");
        else item.removeAttribute("aria-current");
    }
    keys.inThisView([]);
    const place = el("div", { class: "view" }, el("p", { class: "dim", "aria-busy": "true" }, "Loading …"));
    main.replaceChildren(place);
    const title = view?.title ?? "Not found";
    document.title = `${title} · lookalike`;
    if (!isFirst) main.focus({ preventScroll: true });
    isFirst = false;
    window.scrollTo(0, 0);
    try {
        if (!view) throw new Error("There is no page at this address.");
        const session = await api.session(signal);
        const may = (role) => session.roles.includes(role);
        await view.show(place, { parts: parts.slice(1), signal, say, may, person: session.name ?? "" });
    } catch (error) {
        if (error.name === "AbortError" || signal.aborted) return;
        place.replaceChildren(el("h1", {}, title), failure(error));
    }
}

/** What went wrong, and where to go from here. */
function failure(error) {
    // What is not there will not be there the next time.
    const way = error.status === 404 || error.status === undefined
        ? el("a", { href: "#/clusters" }, "Go to the clusters") : el("button", { type: "button", on: { click: show } }, "Try again");
    return el("div", { role: "alert", class: "problem" }, el("p", {}, error.message), el("p", {}, way));
}

function theme() {
    const select = document.getElementById("theme");
    const set = (value) => {
        if (value === "system") delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = value;
    };
    select.value = localStorage.getItem("lookalike-theme") || "system";
    set(select.value);
    select.addEventListener("change", () => {
        localStorage.setItem("lookalike-theme", select.value);
        set(select.value);
    });
}

function keysDialog() {
    const dialog = document.getElementById("keys-dialog");
    const list = document.getElementById("keys-list");
    const checkbox = document.getElementById("keys-on");
    const open = () => {
        const { here, everywhere } = keys.listed();
        const table = (title, all) => all.length === 0 ? [] : [el("h3", {}, title),
            el("dl", {}, all.map(({ key, does }) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, does)]))];
        list.replaceChildren(...table("On this page", here), ...table("Everywhere", everywhere));
        checkbox.checked = keys.areOn();
        dialog.showModal();
    };
    checkbox.addEventListener("change", () => keys.turn(checkbox.checked));
    document.getElementById("keys-button").addEventListener("click", open);
    const go = (hash) => () => { location.hash = hash; };
    keys.always(
        { key: "1", does: "Overview", action: go("#/") },
        { key: "2", does: "Clusters", action: go("#/clusters") },
        { key: "3", does: "Questions", action: go("#/label") },
        { key: "4", does: "Paste a text", action: go("#/paste") },
        { key: "?", does: "Show the keyboard shortcuts", action: open },
    );
    keys.listen();
}

function tokenDialog() {
    const dialog = document.getElementById("token-dialog");
    const input = document.getElementById("token");
    const reason = document.getElementById("token-reason");
    let asked = null;
    // Several requests may fail for want of a token: the person is asked once.
    onTokenWanted((why) => {
        asked ??= new Promise((resolve) => {
            reason.textContent = why;
            input.value = "";
            dialog.showModal();
            dialog.addEventListener("close", () => {
                asked = null;
                resolve(input.value.trim());
            }, { once: true });
        });
        return asked;
    });
    dialog.addEventListener("cancel", (event) => event.preventDefault());
}

document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
});
theme();
keysDialog();
tokenDialog();
window.addEventListener("hashchange", show);
show();

// The service, as functions. A token, where one is wanted, is kept in this tab alone.

const TOKEN = "lookalike-token";

/** An answer that is not one: the service's problem document, or that it cannot be reached. */
export class Problem extends Error {
    constructor(status, detail, retryAfter) {
        super(detail);
        this.status = status;
        this.retryAfter = retryAfter;
    }
}

let askForToken = null;

/** `ask(reason)` resolves to a token that a person gave. */
export function onTokenWanted(ask) {
    askForToken = ask;
}

async function request(method, path, { query = {}, body, signal } = {}) {
    const parameters = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) {
        if (value !== undefined && value !== null && value !== "") parameters.set(key, value);
    }
    const address = [...parameters].length ? `${path}?${parameters}` : path;
    for (;;) {
        const headers = {};
        const token = sessionStorage.getItem(TOKEN);
        if (token) headers.Authorization = `Bearer ${token}`;
        if (body !== undefined) headers["Content-Type"] = "application/json";
        let answer;
        try {
            answer = await fetch(address, {
                method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body),
            });
        } catch (error) {
            if (error.name === "AbortError") throw error;
            throw new Problem(0, "The service does not respond. It may have been stopped.");
        }
        if (answer.ok) return answer;
        const problem = await problemOf(answer);
        if (answer.status !== 401 || !askForToken) throw problem;
        const given = await askForToken(token ? problem.message : "");
        sessionStorage.setItem(TOKEN, given);
    }
}

async function problemOf(answer) {
    let detail = `${answer.status} ${answer.statusText}`;
    try {
        const problem = await answer.json();
        detail = problem.detail || problem.title || detail;
    } catch {
        // Not a problem document: the status has to do.
    }
    return new Problem(answer.status, detail, Number(answer.headers.get("Retry-After")) || null);
}

/**
 * What a run over the index found: that of the last run at once, and that of a new one only where the last
 * knows nothing of it.
 */
async function found(path, query, signal) {
    try {
        return await (await request("GET", path, { query: { ...query, wait: 0 }, signal })).json();
    } catch (error) {
        if (![404, 429, 503].includes(error.status)) throw error;
        return json("GET", path, { query, signal });
    }
}

/** Asks again while the service says that it is not ready, a bounded number of times. */
async function json(method, path, options = {}) {
    for (let again = 0; ; again += 1) {
        try {
            return await (await request(method, path, options)).json();
        } catch (error) {
            const isBusy = error.status === 429 || error.status === 503;
            if (!isBusy || again === 20) throw error;
            await pause(1000 * Math.min(error.retryAfter || 1, 5), options.signal);
        }
    }
}

export function pause(milliseconds, signal) {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, milliseconds);
        signal?.addEventListener("abort", () => {
            clearTimeout(timer);
            reject(new DOMException("left", "AbortError"));
        }, { once: true });
    });
}

/** Who one is; asks for a token until the service knows it. */
async function session(signal) {
    for (;;) {
        const answer = await json("GET", "/v1/session", { signal });
        if (answer.authenticated) return answer;
        const was = sessionStorage.getItem(TOKEN);
        sessionStorage.setItem(TOKEN, await askForToken(was ? "This token is not valid here." : ""));
    }
}

/** An id as part of an address. Browsers fold dots away, however they are written. */
function id(value) {
    if (value === "." || value === ".." || value === "") {
        throw new Problem(0, `Browsers cannot open a document with the id “${value}”.`);
    }
    return encodeURIComponent(value);
}

export const api = {
    session,
    // Starts a run where something has changed, and does not wait for it.
    stat: (signal) => json("GET", "/v1/stat", { query: { wait: 0 }, signal }),
    clusters: (query, signal) => found("/v1/clusters", query, signal),
    cluster: async (of, query, signal) => found(`/v1/clusters/${id(of)}`, query, signal),
    pairs: (query, signal) => found("/v1/pairs", query, signal),
    // Without the texts: what is shown of them stands in their difference.
    pair: async (a, b, signal) => json("GET", `/v1/pairs/${id(a)}/${id(b)}`, { query: { text: 0 }, signal }),
    document: async (of, signal) => json("GET", `/v1/documents/${id(of)}`, { signal }),
    check: (document, signal) => json("POST", "/v1/check", { query: { difference: 1 }, body: document, signal }),
    judgments: (query, signal) => json("GET", "/v1/judgments", { query, signal }),
    // `{ a, b, duplicate }`, and what else is known of the verdict.
    judge: (judgment) => json("POST", "/v1/judgments", { body: { ...judgment, how: judgment.how ?? "page" } }),
    questions: (limit, signal) => json("GET", "/v1/questions", { query: { limit, wait: 30 }, signal }),
    tuned: (signal) => json("GET", "/v1/tune", { signal }),
    tune: (options) => json("POST", "/v1/tune", { body: options }),
    judgmentsFile: async () => (await request("GET", "/v1/judgments", { query: { format: "jsonl" } })).blob(),
};

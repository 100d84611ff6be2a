// Runs before the page's other scripts. It sends their requests to the web worker with the table, instead of to a server.

"use strict";

(() => {
  const base = new URL("api/", document.baseURI).pathname;
  const bytes = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 1, minimumFractionDigits: 1 });
  const megabytes = (count) => bytes.format(count / 1e6);
  // language.js opens another page: requests of this one are not answered
  const worker = globalThis.isLeft
    ? new MessageChannel().port1
    : new Worker(new URL("worker.js", document.currentScript.src), { type: "module" });
  const kept = `reboard-bench ${new URL(".", document.baseURI).pathname}`;
  const requests = new Map();
  const sockets = new Map();
  const heard = [];
  let listener = null;
  let count = 0;
  let isOver = false;

  globalThis.tableInBrowser = {
    worker,
    heard,

    /** Call `hear` with all news of the table: those that came before, and each one that comes. */
    listen(hear) {
      listener = hear;
      heard.forEach(hear);
    },

    /** End the table, and forget what this browser keeps of it. */
    async forget() {
      worker.terminate();
      const request = indexedDB.deleteDatabase(kept);
      await new Promise((resolve) => { request.onsuccess = request.onerror = request.onblocked = resolve; });
    },
  };

  function tell(news) {
    if (isOver) return; // an error that the worker has reported also comes as an error of the worker
    if (news.kind === "loading") {
      showProgress(news);
      return;
    }
    heard.push({ ...news, at: performance.now() });
    listener?.(news);
    isOver = news.kind === "offline" || news.kind === "stopped";
    if (!isOver) return;
    for (const socket of sockets.values()) socket.end(1006);
    for (const answer of requests.values()) answer({ error: news.cause });
  }

  // here, because the other scripts of the page come later on a slow line
  function showProgress({ loaded, total }) {
    const bar = document.getElementById("loading-bar");
    if (!bar) return; // the browser has not read so far
    bar.value = loaded / total;
    document.getElementById("loading-bytes").textContent = `${megabytes(loaded)} / ${megabytes(total)} MB`;
  }

  worker.onmessage = ({ data }) => {
    if (data.news) tell(data.news);
    else if (data.socket) sockets.get(data.socket)?.receive(data);
    else requests.get(data.id)?.(data);
  };
  worker.onerror = ({ message }) => tell(message ? { kind: "stopped", cause: message } : { kind: "offline" });
  const { hasProgram } = document.currentScript.dataset;
  worker.postMessage({ do: "start", seed: Math.floor(Math.random() * 1e6), kept, hasProgram: hasProgram !== undefined });

  // a browser can keep a page that the user has left, with its worker
  addEventListener("pagehide", () => worker.postMessage({ do: "end" }));
  addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });

  const isTables = (url) => url.origin === location.origin && url.pathname.startsWith(base);

  function placeOf({ pathname, search }) {
    return { path: `/api/${pathname.slice(base.length)}`, query: search.slice(1) };
  }

  function ask(url, { method = "GET", headers, body, signal } = {}) {
    count += 1;
    const id = count;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (isOver) throw new TypeError("the table has stopped");
      requests.set(id, (answer) => {
        requests.delete(id);
        if (answer.status) resolve(answer);
        else reject(new TypeError(answer.error));
      });
      signal?.addEventListener("abort", () => {
        requests.delete(id);
        worker.postMessage({ do: "abort", id });
        reject(signal.reason);
      });
      const sent = new Headers(headers);
      sent.set("Accept-Language", document.documentElement.lang);
      worker.postMessage({ do: "request", id, method, ...placeOf(url), headers: [...sent], body });
    });
  }

  const fetchFile = globalThis.fetch.bind(globalThis);
  globalThis.fetch = async (input, options) => {
    const url = typeof input === "string" ? new URL(input, document.baseURI) : null;
    if (!url || !isTables(url)) return fetchFile(input, options);
    const { status, headers, body } = await ask(url, options);
    return new Response(body, { status, headers });
  };

  globalThis.WebSocket = class TableSocket {
    static OPEN = 1;
    readyState = 0;
    #number;

    constructor(url) {
      count += 1;
      this.#number = count;
      sockets.set(count, this);
      worker.postMessage({ do: "open", socket: count, ...placeOf(new URL(url)) });
    }

    receive({ kind, data }) {
      if (this.readyState > 1) return;
      if (kind === "open") {
        this.readyState = 1;
        this.onopen?.({});
      } else if (kind === "message") this.onmessage?.({ data });
      else this.end(data);
    }

    end(code) {
      if (this.readyState === 3) return;
      this.readyState = 3;
      sockets.delete(this.#number);
      this.onclose?.({ code });
    }

    send(text) {
      worker.postMessage({ do: "send", socket: this.#number, text });
    }

    close() {
      worker.postMessage({ do: "send", socket: this.#number, text: null });
      setTimeout(() => this.end(1000));
    }
  };

  // a link to a file of the table
  document.addEventListener("click", async (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || !isTables(new URL(link.href))) return;
    event.preventDefault();
    const { headers, body } = await ask(new URL(link.href));
    const { "content-type": type, "content-disposition": disposition } = Object.fromEntries(headers);
    const href = URL.createObjectURL(new Blob([body], { type }));
    Object.assign(document.createElement("a"), { href, download: /filename="(.*)"/.exec(disposition)?.[1] ?? "" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  });
})();

// Keeps the files of the bench, so that it works without a network. The build writes FILES: the hash of each file.
//
// A file is kept under its hash, so that two versions of the bench can be kept side by side, and share what is equal.

"use strict";

const FILES = {};
const CACHE = `reboard-bench ${new URL(registration.scope).pathname}`;

const keyOf = (path) => new URL(`${path}?${FILES[path]}`, registration.scope).href;

async function install() {
  const cache = await caches.open(CACHE);
  for (const path of Object.keys(FILES)) {
    if (await cache.match(keyOf(path))) continue;
    const answer = await fetch(new URL(path, registration.scope), { cache: "no-cache" });
    const content = await answer.clone().arrayBuffer();
    if (!answer.ok || (await hash(content)) !== FILES[path]) throw new Error(`${path} is of another version: try again later`);
    await cache.put(keyOf(path), answer);
  }
}

async function hash(content) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function forgetOld() {
  const cache = await caches.open(CACHE);
  const wanted = new Set(Object.keys(FILES).map(keyOf));
  for (const { url } of await cache.keys()) if (!wanted.has(url)) await cache.delete(url);
}

async function kept(request, path) {
  const cache = await caches.open(CACHE);
  return (await cache.match(keyOf(path))) ?? fetch(request);
}

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(forgetOld().then(() => clients.claim())));
addEventListener("message", ({ data }) => { if (data === "activate") void skipWaiting(); });
addEventListener("fetch", (event) => {
  const { url, method } = event.request;
  const { origin, pathname } = new URL(url);
  const { pathname: scope } = new URL(registration.scope);
  if (method !== "GET" || origin !== location.origin || !pathname.startsWith(scope)) return;
  const path = pathname.slice(scope.length) || "index.html";
  // a browser keeps compiled code only for what it fetched itself; offline the worker takes the kept copy
  if (path.endsWith(".wasm")) return;
  if (path in FILES) event.respondWith(kept(event.request, path));
});

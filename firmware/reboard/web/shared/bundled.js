// Runs the modules of the page's scripts. The server puts every module into a function; see bundle.py.
//
// A script that has a syntax error, or that the server left out, is only missed by those who import from it.

"use strict";

globalThis.bundled = (() => {
  const RETRY_MS = 2000;
  const LONGEST_MS = 10;
  const makers = new Map();
  const modules = new Map();
  const texts = new Map();
  const lost = [];
  const speech = {};
  let begun = 0;

  function load(path) {
    if (modules.has(path)) return modules.get(path);
    if (!makers.has(path)) throw new Error(`${path} could not be loaded: see the first error`);
    const module = {};
    modules.set(path, module); // before it runs: modules may import from each other
    try {
      makers.get(path)(module);
    } catch (error) {
      modules.delete(path);
      throw error;
    }
    return module;
  }

  /** Request a script until it arrives. */
  async function request({ src }) {
    for (;;) {
      const script = Object.assign(document.createElement("script"), { src });
      const arrived = new Promise((done) => {
        script.addEventListener("load", () => done(true));
        script.addEventListener("error", () => done(false));
      });
      document.head.append(script);
      if (await arrived) return;
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }

  for (const script of document.scripts) script.addEventListener("error", () => lost.push(request(script)));

  return {
    load,
    speech,

    /**
     * Set the `language` of the page, its `texts` by the English ones, its plural `forms`, the index of the `form` for a
     * number, the sentences of `rejections`, and the English `labels` of the vocabulary.
     */
    speak: (values) => Object.assign(speech, values),
    text: (path) => texts.get(path),
    addText: (path, text) => texts.set(path, text),
    add: (path, make) => makers.set(path, make),

    /** The exported names of a module, each with a function that returns its value. */
    export(module, names) {
      for (const [name, get] of Object.entries(names)) Object.defineProperty(module, name, { get, enumerable: true });
    },

    /** What `import(path)` in a module does. */
    async import(from, path) {
      const wanted = new URL(path, `http://page${from}`).pathname;
      const later = document.querySelector(`script[data-module="${wanted}"]`);
      if (later && !makers.has(wanted)) await request(later);
      return load(wanted);
    },

    /** Wait until the browser has drawn and taken input, if the script has run for long. */
    async breathe() {
      if (performance.now() - begun < LONGEST_MS) return;
      await (globalThis.scheduler?.yield?.() ?? new Promise((done) => setTimeout(done)));
      begun = performance.now();
    },

    /** Run the main module when every script has arrived. */
    start(main) {
      document.addEventListener("DOMContentLoaded", async () => {
        await Promise.all(lost);
        load(main);
      });
    },
  };
})();

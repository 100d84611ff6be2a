// The panel of an accessory that brings none of its own: its picture, whose parts show the events of the devices, its
// state as a list, its faults, and its requests for the host.
//
// Its words.js can have words for the state: `labels`, by the dotted names of values, and `values`, functions that put a
// value, also null, into words. They get the table, too.

import { drawing, showPart } from "/static/art.js";
import { capital, causeName, partName, requestName, word } from "/static/words.js";

import { element } from "./element.js";
import { text, withColon } from "/static/text.js";
import { frame } from "./panels.js";

export function genericPanel({ name, title, absent, parts, requests, kinds, files }, { act }) {
  const state = element("dl", "", "facts");
  const faults = element("ul", "", "part-faults");
  const section = element("section", "", "sheet generic");
  section.dataset.tv = "";
  const heading = element("h2");
  const picture = files.includes("picture.svg") ? pictureOf(name) : "";
  const drawn = picture ? drawnParts(picture, kinds) : new Map();
  section.append(heading, picture, faults, state);
  const frames = [frame(name, "generic")];
  frames[0].append(section);
  if (Object.keys(requests).length) {
    frames.push(frame(name, "host"));
    frames[1].append(...Object.entries(requests).map(([request, args]) => form(request, args, act)));
  }

  return {
    frames,
    table(table) {
      heading.textContent = word("parts", name) ? capital(word("parts", name)) : title;
      section.setAttribute("aria-label", heading.textContent);
      const keys = Object.keys(absent).length ? Object.keys(absent) : [name];
      state.replaceChildren(...keys.flatMap((key) => rows(key, table[key], name, table)));
      const broken = Object.entries(table.faults ?? {}).filter(([part]) => parts.includes(part));
      faults.replaceChildren(...broken.map(([part, cause]) => element("li", withColon(partName(part), causeName(cause)))));
      faults.hidden = broken.length === 0;
    },
    connection(now) {
      if (now !== "live") drawn.forEach((part) => showPart(part, {})); // no events come meanwhile
    },
    event({ event, t, device = "", ...values }) {
      const [accessory, noun] = device.split(".");
      if (accessory === name && drawn.has(noun)) showPart(drawn.get(noun), values);
    },
  };
}

function pictureOf(name) {
  try {
    return drawing(`${name}/picture`)();
  } catch (error) {
    console.error(error);
    return "";
  }
}

/** The parts of a picture that are devices, by the last part of a device's label. */
function drawnParts(picture, kinds) {
  const parts = new Map();
  for (const [noun, kind] of Object.entries(kinds)) {
    const part = picture.querySelector(`[id="${noun}"]`);
    if (!part) continue;
    part.removeAttribute("id"); // the page may have an element with this id
    part.classList.add("part", kind);
    parts.set(noun, part);
  }
  return parts;
}

/** The rows of a list for a value of the accessory `name` and everything in it: "odds laugh" and 12. */
function rows(path, value, name, table) {
  if (value !== null && typeof value === "object") {
    return Object.entries(value).flatMap(([key, inner]) => rows(`${path}.${key}`, inner, name, table));
  }
  const plain = (path === name ? "" : path.startsWith(`${name}.`) ? path.slice(name.length + 1) : path).replace(/[._]/g, " ");
  const label = word("labels", path) ?? (plain || text("State"));
  return [element("dt", label), element("dd", word("values", path)?.(value, table) || shown(value))];
}

function shown(value) {
  if (value === null || value === undefined) return "–";
  return typeof value === "boolean" ? value ? text("yes") : text("no") : String(value);
}

/** The fields of a request and its button. */
function form(request, args, act) {
  const made = element("form", "", "request");
  const fields = args.map(({ name, words, optional }) => {
    const label = element("label");
    const input = document.createElement("input");
    Object.assign(input, { name, placeholder: words, required: !optional, autocomplete: "off", maxLength: 200 });
    label.append(element("span", name.replaceAll("_", " ")), input);
    return label;
  });
  const button = element("button", requestName(request), "button");
  made.append(...fields, button);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    const entered = [...new FormData(made)].filter(([, value]) => value.trim());
    void act(request, Object.fromEntries(entered.map(([name, value]) => [name, parsed(value)])));
  });
  return made;
}

/** A number, true, false or JSON, if it is one; else the text. */
function parsed(value) {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

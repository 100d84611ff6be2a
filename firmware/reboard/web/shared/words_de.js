// The words for devices and for the table as a whole in German.

import { partName, requestName } from "./words.js";

const PAGE = /^the page at (.+)$/;

export default {
  texts: {},
  parts: { speaker: "Lautsprecher", config: "Einstellungen" },
  rejections: { "not running": "geht gerade nicht: Die Störungen sagen, warum" },
  requests: { volume: "Lautstärke" },
  sentences: {
    requested: ({ do: request, by }) => `${by.replace(PAGE, "Spielleitung an $1")}: ${requestName(request)}`,
    sound: ({ name }) => `Klang: ${name}`,
    lamp: ({ on }) => `Lampe ${on ? "an" : "aus"}`,
    motor: ({ level }) => `Motor auf ${Math.round(level * 100)} %`,
    display: ({ lines }) => `Anzeige: „${lines.map((line) => line.trimEnd()).join(" ⏐ ")}“`,
    volume: ({ level }) => (level ? `Lautstärke ${level} von 4` : "Ton aus"),
    fault: ({ part, cause }) => `${partName(part)}: ${cause || "Störung"}`,
    recovered: ({ part }) => `${partName(part)} geht wieder`,
  },
};

// The words for devices and for the table as a whole in English.

import { partName, requestName } from "./words.js";

const PAGE = /^the page at (.+)$/;

export default {
  texts: {},
  parts: {},
  rejections: { "not running": "not possible now: the faults say why" },
  requests: { volume: "volume" },
  sentences: {
    requested: ({ do: request, by }) => `${by.replace(PAGE, "host at $1")}: ${requestName(request)}`,
    sound: ({ name }) => `sound: ${name}`,
    lamp: ({ on }) => `lamp ${on ? "on" : "off"}`,
    motor: ({ level }) => `motor at ${Math.round(level * 100)} %`,
    display: ({ lines }) => `display: “${lines.map((line) => line.trimEnd()).join(" ⏐ ")}”`,
    volume: ({ level }) => (level ? `volume ${level} of 4` : "sound off"),
    fault: ({ part, cause }) => (cause ? `${partName(part)}: ${cause}` : `fault: ${partName(part)}`),
    recovered: ({ part }) => `${partName(part)} works again`,
  },
};

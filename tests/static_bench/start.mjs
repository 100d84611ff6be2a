// Starts the bench with the Python of the static bench, and plays for ten minutes: node start.mjs FOLDER. It prints JSON:
// the CPU seconds of each step, and the bytes of memory of Python at the end.

import fs from "node:fs";
import path from "node:path";

const folder = path.resolve(process.argv[2]);
const found = { seconds: {} };
let before = process.cpuUsage();
const step = (name) => {
  const { user, system } = process.cpuUsage(before);
  found.seconds[name] = (user + system) / 1e6;
  before = process.cpuUsage();
};

const pyodide = `${folder}/${fs.readdirSync(folder).find((name) => name.startsWith("pyodide-"))}`;
const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${pyodide}/` });
step("python");
python.FS.writeFile("/python.zst", new Uint8Array(fs.readFileSync(`${folder}/python.zst`)));
python.runPython(fs.readFileSync(`${folder}/unpack.py`, "utf-8"));
step("unpacked");
const { Bench } = python.pyimport("reboard_sim.browser.bench");
step("imported");
let isOver = false;
let timer = 0;
function turn() {
  if (isOver) return;
  clearTimeout(timer);
  timer = setTimeout(turn, Math.min(bench.pump(), 1) * 1000);
}
const bench = Bench(7, null, () => setTimeout(turn), () => {}, (name) => console.error(name));
await bench.start();
step("live");
turn();

async function post(address, body) {
  const sent = new TextEncoder().encode(JSON.stringify(body));
  const answer = await bench.answer("POST", `/api/bench/${address}`, "", [["content-type", "application/json"]], sent, new Promise(() => {}));
  if (answer.toJs()[0] !== 200) throw new Error(new TextDecoder().decode(answer.toJs()[2]));
}

await post("time", { pace: "fast" });
const lines = ["insert left 1", "type 1.5M", "press block", "pull lever", "release lever", "remove left", "wait 50"];
for (let minute = 0; minute < 10; minute += 1) await post("do", { lines });
step("ten_minutes");
isOver = true;
found.bytes = python._module.HEAP8.length;
process.stdout.write(JSON.stringify(found), () => process.exit(0));

// A slider on the bench, with its value and unit.

const EVERY_MS = 60;
const SETTLED_MS = 1000; // then the table has the value, or has refused it

export default function slider({ label, title }, act) {
  const element = document.createElement("div");
  const input = document.createElement("input");
  const output = document.createElement("output");
  let unit = "";
  let moved = null; // to this value, which the table does not have yet
  let movedAt = 0;
  let timer = 0;
  element.className = "slider";
  input.type = "range";
  input.ariaLabel = title;
  element.append(input, output);

  function showValue(value) {
    const shown = unit ? `${value} ${unit}` : String(value);
    if (output.textContent !== shown) output.textContent = shown;
    input.setAttribute("aria-valuetext", shown);
  }

  function send() {
    timer = 0;
    act(`set ${label} ${moved}`);
  }

  input.addEventListener("input", () => {
    moved = input.valueAsNumber;
    movedAt = performance.now();
    timer ||= setTimeout(send, EVERY_MS);
    showValue(moved);
  });
  return {
    element,
    show(now) {
      ({ unit } = now);
      input.min = now.least;
      input.max = now.most;
      input.step = now.step;
      if (moved !== null && moved !== now.value && performance.now() - movedAt < SETTLED_MS) return;
      moved = null;
      input.valueAsNumber = now.value;
      showValue(now.value);
    },
  };
}

// A buzzer on the bench. Its tone is heard while the bench's sound is on and the clock runs at 1×.

const GAIN = 0.05;

export default function buzzer({ title }) {
  const element = document.createElement("div");
  const text = document.createElement("output");
  element.className = "plain";
  text.ariaLabel = title;
  element.append(text);
  let tone = null;

  function stop() {
    void tone?.context.close();
    tone = null;
  }

  return {
    element,
    show({ on, hz }) {
      const shown = on ? `♪ ${Math.round(hz)} Hz` : "silent";
      if (text.textContent !== shown) text.textContent = shown;
      const isHeard = document.querySelector("#sound.heard") && document.body.dataset.line === "open";
      if (!on || !isHeard) stop();
      else if (tone) tone.frequency.value = hz;
      else tone = sounding(hz);
    },
  };
}

function sounding(hz) {
  const out = new AudioContext();
  const tone = new OscillatorNode(out, { type: "square", frequency: hz });
  tone.connect(new GainNode(out, { gain: GAIN })).connect(out.destination);
  tone.start();
  return tone;
}

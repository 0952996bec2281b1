/** Text to speech: every voice of the chosen model, each with how long its first audio took. */
import { ask, json, tell } from "./api.js";

const RATE = 24_000;
const id = (name) => document.getElementById(name);

/** What the next request says; the copied snippets say the same. */
export function speechBody() {
  const instructions = id("instructions").value.trim();
  return {
    model: id("model").value || "svc-tts1",
    voice: id("voices").querySelector('[aria-current="true"]')?.dataset.voice ?? "female-warm",
    input: id("text").value,
    ...(instructions ? { instructions } : {}),
  };
}

export function openSpeaking() {
  let stop = () => {};
  const count = () => {
    id("count").textContent = `${[...id("text").value].length} of 8000 characters`;
  };
  count();
  id("text").addEventListener("input", count);
  id("model").addEventListener("change", () => void showVoices());
  id("stop-speaking").addEventListener("click", () => stop());

  async function load() {
    const { data } = await (await ask("/models?type=tts")).json();
    id("model").replaceChildren(...data.map((model) => new Option(`${model.name} (${model.id})`, model.id)));
    await showVoices();
  }

  async function showVoices() {
    const { data } = await (await ask(`/voices?model=${encodeURIComponent(id("model").value)}`)).json();
    id("voices").replaceChildren(...data.map((voice) => voiceItem(voice, () => void say(voice.id))));
  }

  async function say(voice) {
    stop();
    const button = id("voices").querySelector(`[data-voice="${CSS.escape(voice)}"]`);
    for (const other of id("voices").querySelectorAll("button"))
      other.setAttribute("aria-current", other === button);
    const leaving = new AbortController();
    const player = openPlayer();
    stop = () => {
      leaving.abort();
      player.stop();
      id("stop-speaking").disabled = true;
    };
    id("stop-speaking").disabled = false;
    tell("speak-status", "…");
    try {
      const begun = performance.now();
      const order = { ...speechBody(), response_format: "pcm", stream_format: "audio" };
      const response = await ask("/audio/speech", { ...json(order), signal: leaving.signal });
      const { firstMs, bytes } = await play(response, player, begun);
      button.querySelector(".ms").textContent = `${Math.round(firstMs)} ms`;
      const seconds = bytes.length / 2 / RATE;
      const tookMs = performance.now() - begun;
      tell(
        "speak-status",
        `First audio after ${Math.round(firstMs)} ms; ${seconds.toFixed(1)} s of speech in ${Math.round(tookMs)} ms.`,
      );
      offerDownload(bytes);
      player.finish(() => {
        id("stop-speaking").disabled = true;
      });
    } catch (error) {
      if (error.name !== "AbortError") tell("speak-status", error.message, true);
    }
  }

  return { load };
}

function voiceItem(voice, onClick) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.voice = voice.id;
  const name = document.createElement("span");
  name.textContent = voice.name;
  const about = document.createElement("small");
  about.textContent = `${voice.locale} · ${voice.gender}`;
  const ms = document.createElement("span");
  ms.className = "ms";
  button.append(name, about, ms);
  button.addEventListener("click", onClick);
  item.append(button);
  return item;
}

/** Plays the body as it comes; half a sample at the end of a chunk waits for the next. */
async function play(response, player, begun) {
  const chunks = [];
  let firstMs = null;
  let rest = new Uint8Array(0);
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    firstMs ??= performance.now() - begun;
    chunks.push(value);
    const whole = concat([rest, value]);
    const even = whole.length & ~1;
    rest = whole.slice(even);
    player.push(new Int16Array(whole.slice(0, even).buffer));
  }
  return { firstMs, bytes: concat(chunks) };
}

/** Each piece is scheduled where the one before it ends. */
function openPlayer() {
  const context = new AudioContext();
  let at = context.currentTime + 0.05;
  let last = null;
  return {
    push(samples) {
      if (samples.length === 0) return;
      const buffer = context.createBuffer(1, samples.length, RATE);
      buffer.copyToChannel(
        Float32Array.from(samples, (sample) => sample / 32_768),
        0,
      );
      const source = new AudioBufferSourceNode(context, { buffer });
      source.connect(context.destination);
      at = Math.max(at, context.currentTime);
      source.start(at);
      last = source;
      at += buffer.duration;
    },
    /** Tells when the last piece was heard. */
    finish(done) {
      if (last) last.onended = done;
    },
    stop: () => void (context.state === "closed" || context.close()),
  };
}

function offerDownload(bytes) {
  const header = new DataView(new ArrayBuffer(44));
  const text = (at, letters) => {
    for (const [index, letter] of [...letters].entries()) header.setUint8(at + index, letter.charCodeAt(0));
  };
  text(0, "RIFF");
  header.setUint32(4, 36 + bytes.length, true);
  text(8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, RATE, true);
  header.setUint32(28, RATE * 2, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  text(36, "data");
  header.setUint32(40, bytes.length, true);
  const link = id("download");
  URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([header, bytes], { type: "audio/wav" }));
  link.hidden = false;
}

function concat(chunks) {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** The microphone to text while it is spoken: a short-lived secret opens the socket, never the key itself. */
import { ask, base, json, tell } from "./api.js";

const CHUNK_SECONDS = 0.1;
const id = (name) => document.getElementById(name);

/** The settings of the session, as the copied snippets have them. */
export function liveSettings(rate) {
  const input = {
    format: { type: "audio/pcm", rate },
    transcription: { model: "svc-stt1" },
    turn_detection: { type: id("turns").value },
  };
  return { type: "transcription", audio: { input } };
}

export function openLive() {
  let stop = null;
  id("listen").addEventListener("click", async () => {
    const button = id("listen");
    if (stop) {
      stop();
      stop = null;
    } else {
      button.disabled = true;
      stop = await listen(() => {
        stop = null;
        show(false);
      }).catch((error) => {
        tell("live-status", error.message, true);
        return null;
      });
      button.disabled = false;
    }
    show(stop !== null);
  });
}

function show(isListening) {
  id("listen").textContent = isListening ? "Stop" : "Start the microphone";
  id("listen").setAttribute("aria-pressed", String(isListening));
}

/** Answers what stops it; `ended` is called where the server did. */
async function listen(ended) {
  const media = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  const context = new AudioContext();
  const microphone = await openMicrophone(context, media);
  const { value: secret } = await (
    await ask("/realtime/client_secrets", json({ session: liveSettings(context.sampleRate) }))
  ).json();
  const protocols = ["realtime", `openai-insecure-api-key.${secret}`];
  const socket = new WebSocket(`${base.replace("http", "ws")}/realtime?intent=transcription`, protocols);
  const close = () => {
    for (const track of media.getTracks()) track.stop();
    if (context.state !== "closed") void context.close();
    socket.close();
    id("level").value = 0;
  };
  const lines = openLines();
  socket.onmessage = ({ data }) => hear(JSON.parse(data), lines);
  socket.onclose = ({ code, reason }) => {
    close();
    if (code !== 1000 && code !== 1005) tell("live-status", `Closed: ${reason || code}.`, true);
    ended();
  };
  microphone.port.onmessage = ({ data }) => {
    id("level").value = Math.min(1, level(data) * 3);
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio: base64(data) }));
  };
  return () => {
    tell("live-status", "Stopped.");
    close();
  };
}

async function openMicrophone(context, media) {
  await context.audioWorklet.addModule("/playground/microphone.js");
  const node = new AudioWorkletNode(context, "microphone", {
    processorOptions: { chunk: Math.round(context.sampleRate * CHUNK_SECONDS) },
  });
  context.createMediaStreamSource(media).connect(node);
  return node;
}

const STATUS = {
  "session.created": "Listening: say something.",
  "input_audio_buffer.speech_started": "You are speaking.",
  "input_audio_buffer.speech_stopped": "Listening.",
};

function hear(event, lines) {
  if (STATUS[event.type]) tell("live-status", STATUS[event.type]);
  if (event.type === "input_audio_buffer.speech_stopped") lines.stopped(event.item_id);
  if (event.type.endsWith("transcription.delta")) lines.add(event.item_id, event.delta);
  if (event.type.endsWith("transcription.completed")) lines.complete(event.item_id, event.transcript);
  if (event.type.endsWith("transcription.failed")) lines.complete(event.item_id, `(${event.error.message})`);
  if (event.type === "error") tell("live-status", `${event.error.message} (${event.error.code})`, true);
}

/** One line an utterance, by its item: grey while it may grow. */
function openLines() {
  const lines = new Map();
  const line = (itemId) => {
    if (!lines.has(itemId)) {
      const item = document.createElement("li");
      item.className = "open";
      id("heard").append(item);
      lines.set(itemId, { item, stoppedAt: null });
    }
    return lines.get(itemId);
  };
  return {
    stopped: (itemId) => {
      line(itemId).stoppedAt = performance.now();
    },
    add: (itemId, delta) => line(itemId).item.append(delta),
    complete(itemId, transcript) {
      const { item, stoppedAt } = line(itemId);
      if (transcript === "") return item.remove();
      item.className = "";
      item.textContent = transcript;
      if (stoppedAt === null) return;
      const after = document.createElement("small");
      after.textContent = `${Math.round(performance.now() - stoppedAt)} ms after you stopped`;
      item.append(after);
    },
  };
}

function level(samples) {
  let power = 0;
  for (const sample of samples) power += (sample / 32_768) ** 2;
  return Math.sqrt(power / samples.length);
}

function base64(samples) {
  const bytes = new Uint8Array(samples.buffer);
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

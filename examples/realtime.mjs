/**
 * Sends a recording (WAV: 24 kHz, 16 bit, mono) to a live session at the pace of speech and prints the transcript.
 * Needs Bun, or Node.js 22 or later.
 *
 *   LOQUAT_KEY=$(cat data/first-key) node examples/realtime.mjs hello.wav
 */
import { readFile } from "node:fs/promises";

const HEADER_BYTES = 44;
const CHUNK_BYTES = 4800; // 100 ms
const CHUNK_MS = 100;

const base = (process.env.LOQUAT_BASE_URL ?? "http://127.0.0.1:8080/v1").replace(/^http/, "ws");
const audio = (await readFile(process.argv[2] ?? "hello.wav")).subarray(HEADER_BYTES);

const socket = new WebSocket(`${base}/realtime?intent=transcription`, [
  "realtime",
  `openai-insecure-api-key.${process.env.LOQUAT_KEY}`,
]);
const send = (event) => socket.send(JSON.stringify(event));

socket.addEventListener("message", async ({ data }) => {
  const event = JSON.parse(data);
  if (event.type === "session.created")
    send({
      type: "session.update",
      session: { type: "transcription", audio: { input: { turn_detection: null } } },
    });
  if (event.type === "session.updated") await stream();
  if (event.type === "conversation.item.input_audio_transcription.delta") process.stdout.write(event.delta);
  if (event.type === "conversation.item.input_audio_transcription.completed") socket.close();
  if (event.type === "error") {
    console.error(event.error.message);
    process.exitCode = 1;
    socket.close();
  }
});

async function stream() {
  for (let start = 0; start < audio.length; start += CHUNK_BYTES) {
    const chunk = audio.subarray(start, start + CHUNK_BYTES);
    send({ type: "input_audio_buffer.append", audio: chunk.toString("base64") });
    await new Promise((resolve) => setTimeout(resolve, CHUNK_MS));
  }
  send({ type: "input_audio_buffer.commit" });
}

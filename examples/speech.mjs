/**
 * Synthesizes a sentence to hello.wav, and transcribes it again.
 *
 *   npm install openai
 *   LOQUAT_KEY=$(cat data/first-key) node examples/speech.mjs
 */
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import OpenAI from "openai";

const client = new OpenAI({
  baseURL: process.env.LOQUAT_BASE_URL ?? "http://127.0.0.1:8080/v1",
  apiKey: process.env.LOQUAT_KEY,
});

const speech = await client.audio.speech.create({
  model: "svc-tts1",
  voice: "female-warm",
  input: "Good morning from Loquat.",
  response_format: "wav",
});
await writeFile("hello.wav", Buffer.from(await speech.arrayBuffer()));

const { text } = await client.audio.transcriptions.create({
  model: "svc-stt1",
  file: createReadStream("hello.wav"),
});
console.log(text);

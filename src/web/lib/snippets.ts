/** Code snippets for calls of the public API, for a terminal and for the OpenAI clients. Pure. */

/** By the name of the language. */
export type Snippets = Record<string, string>;

export type SpeechRequest = { model: string; voice: string; input: string; instructions?: string };

/** The environment variable that snippets read the key from. */
const KEY = "$LOQUAT_KEY";
const JSON_TYPE = `-H "Content-Type: application/json"`;

export const curlSnippet = (url: string, options: string[], key = KEY): string =>
  [`curl ${url}`, `-H "Authorization: Bearer ${key}"`, ...options].join(" \\\n  ");

/** Single quotes for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const speechBody = (request: SpeechRequest) => ({ ...request, response_format: "wav" });

export function speechCurl(base: string, request: SpeechRequest, key = KEY): string {
  const body = quote(JSON.stringify(speechBody(request)));
  return curlSnippet(`${base}/audio/speech`, [JSON_TYPE, `-d ${body}`, "-o speech.wav"], key);
}

export function speechSnippets(base: string, request: SpeechRequest): Snippets {
  const body = Object.entries(speechBody(request));
  return {
    curl: speechCurl(base, request),
    // a JSON string is a Python and a JavaScript literal too
    Python: `${pythonClient(base)}
speech = client.audio.speech.create(
${body.map(([name, value]) => `    ${name}=${JSON.stringify(value)},`).join("\n")}
)
speech.write_to_file("speech.wav")`,
    JavaScript: `import { writeFile } from "node:fs/promises";
${javaScriptClient(base)}
const speech = await client.audio.speech.create({
${body.map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`).join("\n")}
});
await writeFile("speech.wav", Buffer.from(await speech.arrayBuffer()));`,
  };
}

export function transcriptionSnippets(base: string, model: string): Snippets {
  const fields = [
    `-F model=${model} -F response_format=verbose_json`,
    `-F "timestamp_granularities[]=word" -F file=@recording.wav`,
  ];
  return {
    curl: curlSnippet(`${base}/audio/transcriptions`, fields),
    Python: `${pythonClient(base)}
with open("recording.wav", "rb") as file:
    transcript = client.audio.transcriptions.create(
        model="${model}",
        response_format="verbose_json",
        timestamp_granularities=["word"],
        file=file,
    )
print(transcript.text)`,
    JavaScript: `import { createReadStream } from "node:fs";
${javaScriptClient(base)}
const transcript = await client.audio.transcriptions.create({
  model: "${model}",
  response_format: "verbose_json",
  timestamp_granularities: ["word"],
  file: createReadStream("recording.wav"),
});
console.log(transcript.text);`,
  };
}

/** `session` is the configuration of a transcription session at 24 kHz. */
export function realtimeSnippets(base: string, session: object): Snippets {
  const body = JSON.stringify({ session });
  return {
    curl: curlSnippet(`${base}/realtime/client_secrets`, [JSON_TYPE, `-d ${quote(body)}`]),
    JavaScript: `const response = await fetch("${base}/realtime/client_secrets", {
  method: "POST",
  headers: { authorization: \`Bearer \${process.env.LOQUAT_KEY}\`, "content-type": "application/json" },
  body: JSON.stringify(${JSON.stringify({ session }, null, 2)}),
});
const { value } = await response.json();
const socket = new WebSocket("${base.replace("http", "ws")}/realtime?intent=transcription", [
  "realtime",
  \`openai-insecure-api-key.\${value}\`,
]);
socket.onmessage = ({ data }) => {
  const event = JSON.parse(data);
  if (event.type.endsWith("transcription.delta")) process.stdout.write(event.delta);
};
// then, for every 100 ms of 24 kHz pcm16:
// socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio: chunk.toString("base64") }));`,
  };
}

const pythonClient = (base: string): string => `import os
from openai import OpenAI

client = OpenAI(base_url="${base}", api_key=os.environ["LOQUAT_KEY"])`;

const javaScriptClient = (base: string): string => `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${base}", apiKey: process.env.LOQUAT_KEY });`;

/** Code snippets for calls of the public API, for a terminal and for the OpenAI clients. Pure. */

/** By the name of the language. */
export type Snippets = Record<string, string>;

/** `response_format`: wav, unless given. */
export type SpeechRequest = {
  model: string;
  voice: string;
  input: string;
  response_format?: string;
  speed?: number;
  language?: string;
  instructions?: string;
};

export type TranscriptionRequest = {
  model: string;
  response_format: string;
  language?: string;
  prompt?: string;
  keywords?: string[];
  timestamp_granularities?: string[];
};

/** The environment variable that snippets read the key from. */
const KEY = "$LOQUAT_KEY";
const JSON_TYPE = `-H "Content-Type: application/json"`;

export const curlSnippet = (url: string, options: string[], key = KEY): string =>
  [`curl ${url}`, `-H "Authorization: Bearer ${key}"`, ...options].join(" \\\n  ");

/** Single quotes for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const speechBody = ({ response_format = "wav", ...request }: SpeechRequest) => ({
  ...request,
  response_format,
});

export function speechCurl(base: string, request: SpeechRequest, key = KEY): string {
  const body = speechBody(request);
  const data = `-d ${quote(JSON.stringify(body))}`;
  return curlSnippet(`${base}/audio/speech`, [JSON_TYPE, data, `-o speech.${body.response_format}`], key);
}

export function speechSnippets(base: string, request: SpeechRequest): Snippets {
  const { language, ...known } = speechBody(request);
  const file = `speech.${known.response_format}`;
  // the Python client takes a field that it does not know in a dictionary of its own
  const extra = language === undefined ? [] : [`    extra_body={"language": ${JSON.stringify(language)}},`];
  return {
    curl: speechCurl(base, request),
    Python: `${pythonClient(base)}
speech = client.audio.speech.create(
${[...pythonArguments(known), ...extra].join("\n")}
)
speech.write_to_file("${file}")`,
    JavaScript: `import { writeFile } from "node:fs/promises";
${javaScriptClient(base)}
const speech = await client.audio.speech.create({
${javaScriptFields({ ...known, ...(language === undefined ? {} : { language }) }).join("\n")}
});
await writeFile("${file}", Buffer.from(await speech.arrayBuffer()));`,
  };
}

/** A JSON value of strings, numbers and lists is a Python and a JavaScript literal too. */
const pythonArguments = (fields: object): string[] =>
  Object.entries(fields).map(([name, value]) => `    ${name}=${JSON.stringify(value)},`);
const javaScriptFields = (fields: object): string[] =>
  Object.entries(fields).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`);

/** `name`: that of the recording, in the current folder. */
export function transcriptionSnippets(base: string, request: TranscriptionRequest, name: string): Snippets {
  const { timestamp_granularities: granularities = [], keywords = [], ...fields } = request;
  const form = Object.entries(fields).map(([field, value]) => `-F ${quote(`${field}=${value}`)}`);
  const lists = [
    ...keywords.map((each) => `-F ${quote(`keywords[]=${each}`)}`),
    ...granularities.map((each) => `-F "timestamp_granularities[]=${each}"`),
  ];
  const isText = !request.response_format.includes("json");
  return {
    curl: curlSnippet(`${base}/audio/transcriptions`, [...form, ...lists, `-F ${quote(`file=@${name}`)}`]),
    Python: `${pythonClient(base)}
with open(${JSON.stringify(name)}, "rb") as file:
    transcript = client.audio.transcriptions.create(
${pythonArguments(request)
  .map((line) => `    ${line}`)
  .join("\n")}
        file=file,
    )
print(transcript${isText ? "" : ".text"})`,
    JavaScript: `import { createReadStream } from "node:fs";
${javaScriptClient(base)}
const transcript = await client.audio.transcriptions.create({
${javaScriptFields(request).join("\n")}
  file: createReadStream(${JSON.stringify(name)}),
});
console.log(transcript${isText ? "" : ".text"});`,
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

/** A turn that is written; `session` is the configuration of a conversation. */
export function conversationSnippets(base: string, model: string, session: ConversationConfig): Snippets {
  const message = { type: "message", role: "user", content: [{ type: "input_text", text: "Hello." }] };
  const socketBase = base.replace("http", "ws");
  return {
    JavaScript: `import { OpenAIRealtimeWS } from "openai/realtime/ws"; // npm install openai ws
${javaScriptClient(base)}
const conversation = new OpenAIRealtimeWS({ model: ${JSON.stringify(model)} }, client);
conversation.on("session.created", () => {
  conversation.send({ type: "session.update", session: ${javaScriptValue(session, 1)} });
  conversation.send({ type: "conversation.item.create", item: ${javaScriptValue(message, 1)} });
  conversation.send({ type: "response.create" });
});
// response.output_audio.delta has the sound: 24 kHz pcm16 as base64
conversation.on("response.output_audio_transcript.delta", ({ delta }) => process.stdout.write(delta));
conversation.on("response.done", () => conversation.close());
conversation.on("error", ({ message }) => console.error(message));`,
    Agents: agentsSnippet(`${socketBase}/realtime?model=${encodeURIComponent(model)}`, session),
    Python: `${pythonClient(base, { websocket_base_url: socketBase }, '"openai[realtime]"')}
with client.realtime.connect(model=${JSON.stringify(model)}) as conversation:
    conversation.session.update(session=${pythonValue(session)})
    conversation.conversation.item.create(
        item=${pythonValue(message)}
    )
    conversation.response.create()
    for event in conversation:
        # response.output_audio.delta has the sound: 24 kHz pcm16 as base64
        if event.type == "response.output_audio_transcript.delta":
            print(event.delta, end="", flush=True)
        if event.type == "response.done":
            break`,
  };
}

/** `turn_detection` null: the client ends turns. */
type ConversationConfig = {
  type: string;
  instructions?: string;
  audio: { input: { turn_detection: { type: string } | null }; output?: { voice: string } };
};

function agentsSnippet(url: string, { instructions, audio }: ConversationConfig): string {
  const config = {
    audio: {
      input: { turnDetection: audio.input.turn_detection },
      ...(audio.output && { output: audio.output }),
    },
  };
  const agent = { name: "assistant", ...(instructions === undefined ? {} : { instructions }) };
  return `// npm install @openai/agents-realtime
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession } from "@openai/agents-realtime";

const url = ${JSON.stringify(url)};
const transport = new OpenAIRealtimeWebSocket({ url, useInsecureApiKey: true });
const agent = new RealtimeAgent(${javaScriptValue(agent)});
const session = new RealtimeSession(agent, { transport, config: ${javaScriptValue(config)} });
// the event "audio" has the sound: 24 kHz pcm16
session.on("agent_end", (_context, _agent, text) => {
  console.log(text);
  session.close();
});
session.on("error", ({ error }) => console.error(error));
await session.connect({ apiKey: process.env.LOQUAT_KEY, url });
session.sendMessage("Hello.");`;
}

/** `depth`: of the indentation around it. */
const javaScriptValue = (value: unknown, depth = 0): string =>
  JSON.stringify(value, null, 2).replaceAll("\n", `\n${"  ".repeat(depth)}`);

function pythonValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([name, each]) => `${JSON.stringify(name)}: ${pythonValue(each)}`)
      .join(", ")}}`;
  return value === null ? "None" : JSON.stringify(value);
}

/** `options`: beside the address and the key. `requirement`: what pip installs. */
const pythonClient = (base: string, options: Record<string, string> = {}, requirement = "openai"): string => {
  const more = Object.entries(options).map(([name, value]) => `, ${name}=${JSON.stringify(value)}`);
  return `# pip install ${requirement}
import os
from openai import OpenAI

client = OpenAI(base_url="${base}"${more.join("")}, api_key=os.environ["LOQUAT_KEY"])`;
};

const javaScriptClient = (base: string): string => `import OpenAI from "openai"; // npm install openai

const client = new OpenAI({ baseURL: "${base}", apiKey: process.env.LOQUAT_KEY });`;

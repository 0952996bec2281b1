/** The same calls for a terminal and for a program, with what the page is set to; the key is named, never copied. */
import { base } from "./api.js";
import { liveSettings } from "./live.js";
import { speechBody } from "./speak.js";

const quoted = (body) => `'${JSON.stringify(body).replaceAll("'", "'\\''")}'`;
const shown = (body) => JSON.stringify(body, null, 2);
const client = `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${base}", apiKey: process.env.LOQUAT_KEY });
`;

const SNIPPETS = {
  speak: {
    curl: () => `curl ${base}/audio/speech \\
  -H "Authorization: Bearer $LOQUAT_KEY" -H "Content-Type: application/json" \\
  -d ${quoted(speechBody())} -o speech.wav`,
    JS: () => `${client}const speech = await client.audio.speech.create(${shown(speechBody())});
await Bun.write("speech.wav", await speech.arrayBuffer());`,
  },
  file: {
    curl: () => `curl ${base}/audio/transcriptions \\
  -H "Authorization: Bearer $LOQUAT_KEY" \\
  -F model=svc-stt1 -F response_format=verbose_json -F "timestamp_granularities[]=word" -F file=@recording.wav`,
    JS: () => `import { createReadStream } from "node:fs";
${client}const transcript = await client.audio.transcriptions.create({
  model: "svc-stt1",
  response_format: "verbose_json",
  timestamp_granularities: ["word"],
  file: createReadStream("recording.wav"),
});
console.log(transcript.text);`,
  },
  live: {
    curl: () => `curl ${base}/realtime/client_secrets \\
  -H "Authorization: Bearer $LOQUAT_KEY" -H "Content-Type: application/json" \\
  -d ${quoted({ session: liveSettings(24_000) })}`,
    JS: () => `const response = await fetch("${base}/realtime/client_secrets", {
  method: "POST",
  headers: { authorization: \`Bearer \${process.env.LOQUAT_KEY}\`, "content-type": "application/json" },
  body: JSON.stringify(${shown({ session: liveSettings(24_000) })}),
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
  },
};

export function offerCopies() {
  for (const place of document.querySelectorAll(".copy")) {
    for (const [language, snippet] of Object.entries(SNIPPETS[place.dataset.for])) {
      place.append(copyButton(`Copy as ${language}`, snippet));
    }
  }
}

function copyButton(label, snippet) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  button.addEventListener("click", async () => {
    button.textContent = (await copy(snippet())) ? "Copied" : label;
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
  return button;
}

/** Browsers lend the clipboard to safe pages only; elsewhere the text is shown, to be taken by hand. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const dialog = document.getElementById("snippet");
    dialog.querySelector("pre").textContent = text;
    dialog.showModal();
    return false;
  }
}

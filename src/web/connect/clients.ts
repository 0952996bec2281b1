/** How applications are connected to this server: settings to enter, or code to run. Pure. */
import { type Scope, USUAL_SCOPES } from "../../scopes.ts";
import { speechSnippets } from "../api/snippets.ts";

/** `key`: a secret, or a placeholder until one is created. `wyoming` null: the port is closed; `opensWyoming`: the reader may open it on the page. */
export type Server = {
  base: string;
  host: string;
  key: string;
  keyId: string;
  speech: { model: string; voice: string };
  transcription: string;
  wyoming: { port: number } | null;
  opensWyoming: boolean;
};

export type Instructions = {
  /** Where the settings are, in the application's words. */
  where: string;
  settings?: [name: string, value: string][];
  code?: string;
  note?: string;
};

export type Client = {
  /** In the address of the page. */
  id: string;
  name: string;
  /** What its key may do. */
  scopes: Scope[];
  parts: (server: Server) => Instructions[];
};

const INPUT = "Good morning from Loquat.";

function openWebUi({ base, key, speech, transcription }: Server): Instructions[] {
  return [
    {
      where: "Admin Panel, Settings, Audio, Text-to-Speech",
      settings: [
        ["Text-to-Speech Engine", "OpenAI"],
        ["API Base URL", base],
        ["API Key", key],
        ["TTS Voice", speech.voice],
        ["TTS Model", speech.model],
      ],
    },
    {
      where: "Admin Panel, Settings, Audio, Speech-to-Text",
      settings: [
        ["Speech-to-Text Engine", "OpenAI"],
        ["API Base URL", base],
        ["API Key", key],
        ["STT Model", transcription],
      ],
    },
  ];
}

function homeAssistant({ base, host, key, keyId, speech, wyoming, opensWyoming }: Server): Instructions[] {
  const assist: Instructions = wyoming
    ? {
        where: "Settings, Devices & services, Add integration, Wyoming Protocol",
        settings: [
          ["Host", host],
          ["Port", String(wyoming.port)],
        ],
        note: "On the same network it appears there as discovered, without an address. The protocol has no authentication: use it on a trusted network only.",
      }
    : {
        where:
          "Assist over the Wyoming protocol: an operator opens its port on this page, or starts this server with these variables",
        code: `HOST=0.0.0.0\nLOQUAT_WYOMING_PORT=10300\nLOQUAT_WYOMING_KEY=${keyId}`,
        note: "The protocol has no authentication: use it on a trusted network only.",
      };
  return [
    ...(wyoming || !opensWyoming ? [assist] : []),
    {
      where: "Or the integration openai_tts",
      settings: [
        ["Custom endpoint", `${base}/audio/speech`],
        ["API key", key],
        ["Model", speech.model],
        ["Voice", speech.voice],
      ],
    },
  ];
}

const sillyTavern = ({ base, key, speech }: Server): Instructions[] => [
  {
    where: "Extensions, TTS, provider OpenAI Compatible",
    settings: [
      ["Provider Endpoint", `${base}/audio/speech`],
      ["API Key", key],
      ["Model", speech.model],
      ["Available Voices", speech.voice],
    ],
  },
];

const liveKit = ({ base, key, speech, transcription }: Server): Instructions[] => [
  {
    where: "LiveKit Agents, with the OpenAI plugin",
    code: `from livekit.plugins import openai

tts = openai.TTS(
    base_url="${base}",
    api_key="${key}",
    model="${speech.model}",
    voice="${speech.voice}",
    response_format="pcm",
)
stt = openai.STT(base_url="${base}", api_key="${key}", model="${transcription}")`,
  },
];

const pipecat = ({ base, key, speech, transcription }: Server): Instructions[] => [
  {
    where: "Pipecat, with its OpenAI services",
    code: `from pipecat.services.openai.stt import OpenAISTTService
from pipecat.services.openai.tts import OpenAITTSService

tts = OpenAITTSService(base_url="${base}", api_key="${key}", model="${speech.model}", voice="alloy")
stt = OpenAISTTService(base_url="${base}", api_key="${key}", model="${transcription}")`,
    note: "Pipecat accepts OpenAI's voice names only, so alloy must be an alias of a voice on this server.",
  },
];

const aiSdk = ({ base, key, speech }: Server): Instructions[] => [
  {
    where: "npm install ai @ai-sdk/openai",
    code: `import { createOpenAI } from "@ai-sdk/openai";
import { experimental_generateSpeech as generateSpeech } from "ai";

const loquat = createOpenAI({ baseURL: "${base}", apiKey: "${key}" });
const { audio } = await generateSpeech({
  model: loquat.speech("${speech.model}"),
  voice: "${speech.voice}",
  text: "${INPUT}",
});`,
  },
];

const n8n = ({ base, key, speech }: Server): Instructions[] => [
  {
    where: "Credentials, OpenAI",
    settings: [
      ["API Key", key],
      ["Base URL", base],
    ],
  },
  {
    where: "Node HTTP Request, where the OpenAI node does not offer a model of this server",
    settings: [
      ["Method", "POST"],
      ["URL", `${base}/audio/speech`],
      ["Authentication", "Predefined Credential Type, OpenAI"],
      ["JSON body", JSON.stringify({ ...speech, input: INPUT })],
    ],
  },
];

/** The snippets read the key from the environment. */
function withOpenAi({ base, key, speech }: Server, language: string, install: string | null): Instructions {
  const code = speechSnippets(base, { ...speech, input: INPUT })[language]!;
  const exported = `export LOQUAT_KEY="${key}"`;
  return {
    where: install ?? "In a terminal",
    code: language === "curl" ? `${exported}\n${code}` : code,
    ...(language === "curl" ? {} : { note: `Set the key first: ${exported}` }),
  };
}

const SPEECH: Scope[] = ["speech:create", "catalog:read"];
const BOTH: Scope[] = ["speech:create", "transcription:create", "catalog:read"];
const LIVE: Scope[] = [...BOTH, "realtime:connect"];
const code = (language: string, install: string | null) => (server: Server) => [
  withOpenAi(server, language, install),
];

export const CLIENTS: Client[] = [
  { id: "open-webui", name: "Open WebUI", scopes: BOTH, parts: openWebUi },
  { id: "home-assistant", name: "Home Assistant", scopes: BOTH, parts: homeAssistant },
  { id: "sillytavern", name: "SillyTavern", scopes: SPEECH, parts: sillyTavern },
  { id: "livekit", name: "LiveKit", scopes: LIVE, parts: liveKit },
  { id: "pipecat", name: "Pipecat", scopes: LIVE, parts: pipecat },
  { id: "ai-sdk", name: "AI SDK", scopes: BOTH, parts: aiSdk },
  { id: "n8n", name: "n8n", scopes: BOTH, parts: n8n },
  { id: "python", name: "Python", scopes: [...USUAL_SCOPES], parts: code("Python", "pip install openai") },
  {
    id: "javascript",
    name: "JavaScript",
    scopes: [...USUAL_SCOPES],
    parts: code("JavaScript", "npm install openai"),
  },
  { id: "curl", name: "curl", scopes: [...USUAL_SCOPES], parts: code("curl", null) },
];

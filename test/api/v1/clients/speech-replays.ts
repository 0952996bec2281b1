/** What applications send to be spoken. */
import type { Replay } from "./replay.ts";

const SPEECH = "/v1/audio/speech";
const INPUT = "The sun is warm today.";
const OPEN_WEBUI = "open-webui/open-webui backend/open_webui/routers/audio.py";
const SFORTIS = "sfortis/openai_tts custom_components/openai_tts";
const N8N = "n8n-io/n8n nodes-langchain OpenAi audio actions";
const LIVEKIT = "livekit/agents livekit-plugins-openai";
const VERCEL = "vercel/ai packages/openai";

export const SPEECH_REPLAYS: Replay[] = [
  {
    client: "Open WebUI, a sentence",
    source: OPEN_WEBUI,
    path: SPEECH,
    headers: { "X-OpenWebUI-User-Name": "Ann", "X-OpenWebUI-User-Role": "admin" },
    json: { input: INPUT, voice: "alloy", model: "tts-1" },
    outcome: "mp3",
  },
  {
    client: "SillyTavern",
    source: "SillyTavern public/scripts/extensions/tts/openai-compatible.js, src/endpoints/openai.js",
    path: SPEECH,
    json: { input: INPUT, response_format: "mp3", voice: " echo", speed: 1, model: "tts-1" },
    outcome: "mp3",
  },
  {
    client: "openai_tts, the check of its key",
    source: SFORTIS,
    path: SPEECH,
    headers: { "User-Agent": "HomeAssistant-OpenAI-TTS" },
    json: { model: "tts-1", input: ".", voice: "alloy", response_format: "mp3" },
    outcome: "mp3",
  },
  {
    client: "openai_tts, a sentence",
    source: SFORTIS,
    path: SPEECH,
    headers: { "User-Agent": "HomeAssistant-OpenAI-TTS" },
    json: {
      model: "gpt-4o-mini-tts",
      input: INPUT,
      voice: "shimmer",
      response_format: "mp3",
      speed: 1,
      instructions: "calm",
    },
    outcome: "mp3",
  },
  {
    client: "Home Assistant's own integration",
    source: "home-assistant/core homeassistant/components/openai_conversation/tts.py",
    path: SPEECH,
    headers: { Accept: "application/octet-stream" },
    json: {
      model: "gpt-4o-mini-tts",
      input: INPUT,
      voice: "marin",
      response_format: "mp3",
      instructions: "None",
      speed: 1,
    },
    outcome: "mp3",
  },
  {
    client: "n8n, a sentence",
    source: N8N,
    path: SPEECH,
    headers: { "OpenAI-Organization": "" },
    json: { model: "tts-1", input: INPUT, voice: "alloy", response_format: "mp3", speed: 1 },
    outcome: "mp3",
  },
  {
    client: "LibreChat, a message",
    source: "LibreChat api/server/services/Files/Audio/TTSService.js",
    path: SPEECH,
    json: { input: INPUT, model: "tts-1-hd", voice: "nova", backend: "" },
    outcome: "mp3",
  },
  {
    client: "AnythingLLM, a message",
    source: "Mintplex-Labs/anything-llm server/utils/TextToSpeech/openAiGeneric",
    path: SPEECH,
    headers: { Accept: "application/octet-stream", "X-Stainless-Lang": "js" },
    json: { model: "tts-1", voice: "alloy", input: INPUT },
    outcome: "mp3",
  },
  {
    client: "NextChat",
    source: "ChatGPTNextWeb/NextChat app/client/platforms/openai.ts",
    path: SPEECH,
    headers: { Origin: "https://next.example" },
    json: { model: "tts-1", input: INPUT, voice: "alloy", speed: 1 },
    outcome: "mp3",
  },
  {
    client: "the AI SDK, generateSpeech",
    source: VERCEL,
    path: SPEECH,
    json: { model: "tts-1", input: INPUT, voice: "alloy", response_format: "mp3" },
    outcome: "mp3",
  },
  {
    client: "LiveKit for Python, its default voice",
    source: LIVEKIT,
    path: SPEECH,
    json: {
      input: INPUT,
      model: "gpt-4o-mini-tts",
      voice: "ash",
      response_format: "mp3",
      speed: 1,
      stream_format: "sse",
    },
    outcome: "speech events",
  },
  {
    client: "LiveKit for JavaScript, its default voice",
    source: "livekit/agents-js plugins/openai/src/tts.ts",
    path: SPEECH,
    json: { input: INPUT, model: "tts-1", voice: "alloy", response_format: "pcm", speed: 1 },
    outcome: "pcm",
  },
  {
    client: "Pipecat, a sentence",
    source: "pipecat-ai/pipecat src/pipecat/services/openai/tts.py",
    path: SPEECH,
    json: { input: INPUT, model: "gpt-4o-mini-tts", voice: "alloy", response_format: "pcm" },
    outcome: "pcm",
  },
];

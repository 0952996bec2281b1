/** What the dashboard calls the endpoints that requests are recorded with. */
export type Named = { id: string; name: string };

/** One that has an address is recorded with it, below its dialect. */
export const ENDPOINTS: Named[] = [
  { id: "/v1/audio/speech", name: "Speech" },
  { id: "/v1/audio/transcriptions", name: "Transcriptions" },
  { id: "/v1/realtime", name: "Realtime" },
  { id: "/v1/audio/translations", name: "Translations" },
  { id: "/v1/audio/voices", name: "Voices" },
  { id: "/v1/audio/voice_consents", name: "Consents of voices" },
  { id: "/elevenlabs/v1/text-to-speech", name: "Speech (ElevenLabs)" },
  { id: "/elevenlabs/v1/text-to-speech/stream-input", name: "Live speech (ElevenLabs)" },
  { id: "/elevenlabs/v1/speech-to-text", name: "Transcriptions (ElevenLabs)" },
  { id: "/elevenlabs/v1/speech-to-text/realtime", name: "Live transcriptions (ElevenLabs)" },
  { id: "/elevenlabs/v1/voices/add", name: "Voices (ElevenLabs)" },
  { id: "/deepgram/v1/speak", name: "Speech (Deepgram)" },
  { id: "/deepgram/v1/listen", name: "Transcriptions (Deepgram)" },
  { id: "/deepgram/v2/listen", name: "Turns (Deepgram)" },
  { id: "/jambonz/synthesize", name: "Speech (jambonz)" },
  { id: "/jambonz/transcribe", name: "Transcriptions (jambonz)" },
  { id: "/mcp", name: "Tools (MCP)" },
  { id: "wyoming/synthesize", name: "Speech (Wyoming)" },
  { id: "wyoming/transcribe", name: "Transcriptions (Wyoming)" },
];

/** Of requests of earlier versions, which keep the name that they were recorded with. */
export const FORMER_ENDPOINTS: Named[] = [
  { id: "elevenlabs/text-to-speech", name: "Speech (ElevenLabs, former name)" },
  { id: "elevenlabs/stream-input", name: "Live speech (ElevenLabs, former name)" },
  { id: "/v1/voices/add", name: "Voices (ElevenLabs, former name)" },
  { id: "deepgram/speak", name: "Speech (Deepgram, former name)" },
  { id: "deepgram/speak/live", name: "Live speech (Deepgram, former name)" },
];

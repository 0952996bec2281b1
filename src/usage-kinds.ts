/** What requests are counted as in reports of usage, by the endpoint that their log and sums name. */

export type UsageKind = "speech" | "transcription";

/** Names that requests of earlier versions were recorded with. */
const FORMER_SPEECH = [
  ...["elevenlabs/text-to-speech", "elevenlabs/stream-input", "deepgram/speak", "deepgram/speak/live"],
];

/** `either`: of both kinds; what was charged tells which. */
export const ENDPOINTS_OF: Record<UsageKind | "either", readonly string[]> = {
  speech: [
    ...["/v1/audio/speech", "/elevenlabs/v1/text-to-speech", "/elevenlabs/v1/text-to-speech/stream-input"],
    ...["/deepgram/v1/speak", "/jambonz/synthesize", "wyoming/synthesize"],
    ...FORMER_SPEECH,
  ],
  transcription: [
    ...["/v1/audio/transcriptions", "/v1/audio/translations", "/v1/realtime"],
    ...["/elevenlabs/v1/speech-to-text", "/elevenlabs/v1/speech-to-text/realtime", "/deepgram/v1/listen"],
    ...["/deepgram/v2/listen", "/jambonz/transcribe", "wyoming/transcribe"],
  ],
  either: ["/mcp"],
};

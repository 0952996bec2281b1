/** What requests are counted as in reports of usage, by the endpoint that their log and sums name. */

export type UsageKind = "speech" | "transcription";

/** `either`: of both kinds; what was charged tells which. */
export const ENDPOINTS_OF: Record<UsageKind | "either", readonly string[]> = {
  speech: [
    ...["/v1/audio/speech", "elevenlabs/text-to-speech", "elevenlabs/stream-input"],
    ...["deepgram/speak", "deepgram/speak/live", "wyoming/synthesize"],
  ],
  transcription: [
    ...["/v1/audio/transcriptions", "/v1/audio/translations", "/v1/realtime"],
    ...["/elevenlabs/v1/speech-to-text", "/elevenlabs/v1/speech-to-text/realtime", "/deepgram/v1/listen"],
    "wyoming/transcribe",
  ],
  either: ["/mcp"],
};

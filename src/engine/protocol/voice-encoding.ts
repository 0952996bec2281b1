/**
 * The task and the result of a thread that encodes a recorded voice, so that later tasks speak with it: plain data only.
 *
 *   recording ──`VoiceEncodingTask`──> data, stored ──`style` of a `SynthesisTask`──> speech with that voice
 */

/** Seconds of a recording that a voice may be encoded from. */
export const VOICE_SECONDS = { min: 3, max: 30 };

/** Mono samples in [-1, 1] at `TTS_SAMPLE_RATE`, as long as `VOICE_SECONDS` says. */
export type VoiceEncodingTask = { kind: "voice-encoding"; samples: Float32Array };

/** What a family keeps of a voice, and its dimensions: Pocket TTS, [frames, 1024]. Other families cannot read it. */
export type VoiceEncodingResult = { data: Float32Array; shape: number[] };

/** A voice that was encoded. `id`: equal where the data is, by which engines keep what they prepare for it. */
export type VoiceStyle = VoiceEncodingResult & { id: string };

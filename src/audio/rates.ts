/** The sample rates inside the server: all audio is mono Float32 in [-1, 1], at one rate for synthesis and one for recognition. */

/** Samples a second of everything we synthesize, whatever the engine's own rate. */
export const TTS_SAMPLE_RATE = 24_000;

/** Samples a second of everything we transcribe, whatever the file's own rate. */
export const ASR_SAMPLE_RATE = 16_000;

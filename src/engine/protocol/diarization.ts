/**
 * The tasks of a thread that tells speakers apart, and their results: plain data only. Each task is short, so that callers
 * take turns and a caller that leaves stops soon.
 *
 *   recording ──windows, a few at a time──> `WindowsTask`: who is active, and an embedding of each
 *   all of it ──────────────────────────> `SpeakersTask`: clusters of embeddings are speakers, who take turns
 */

/** A window of segmentation, in samples at 16 kHz. */
export const WINDOW_SAMPLES = 160_000;
/** Frames of a window, and samples from frame to frame. */
export const WINDOW_FRAMES = 589;
export const FRAME_SAMPLES = 270;

/** Consecutive windows; the last may be shorter than the others, which silence fills. */
export type WindowsTask = {
  kind: "speaker-windows";
  samples: Float32Array;
  /** Samples from window to window. */
  step: number;
  count: number;
  /** Speech of one speaker in one window that an embedding is made of, at most. */
  embeddedSamplesMax: number;
};

/** A speaker of one window, of at most three. */
export type LocalSpeaker = { window: number; speaker: number };

/**
 * `activity`: by window and frame, which of the three speakers are active, as bits. `embeddings`: a row of values for each
 * of `speakers`, who said enough alone; windows are counted within the task.
 */
export type WindowsResult = { activity: Float32Array; speakers: LocalSpeaker[]; embeddings: Float32Array };

/** The voice of a known speaker. */
export type VoiceTask = { kind: "speaker-voice"; voice: Float32Array };
/** Empty where there is too little of it. */
export type VoiceResult = Float32Array;

/** The results of all windows of a recording. */
export type SpeakersTask = WindowsResult & {
  kind: "speakers";
  step: number;
  /** Of the recording. */
  sampleCount: number;
  /** How many people speak; null: unknown. */
  speakerCount: number | null;
  known: VoiceResult[];
};

/** A speaker talks from `start` to `end`, in seconds; turns may overlap. */
export type Turn = { start: number; end: number; speaker: number };

/** Turns by their starts. `known`: the speaker that each known voice belongs to, or null. */
export type Diarization = { turns: Turn[]; known: (number | null)[] };

/** The task of a thread that detects the end of a turn. */

/** The end of the current turn, at 16 kHz. The result is the probability that the speaker has finished. */
export type TurnTask = { kind: "turn"; samples: Float32Array };

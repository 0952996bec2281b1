/**
 * How the decoding process ends. `unusable`: its decoder could not be loaded. Any other code, or a signal that a crash causes,
 * means that the file crashed it.
 */
export const DECODE_EXIT = {
  decoded: 0,
  unreadable: 10,
  noAudio: 11,
  empty: 12,
  tooLong: 13,
  unusable: 14,
  unsupported: 15,
} as const;

/** Processor time that one upload may take; the system ends the process then. */
export const DECODE_CPU_SECONDS = 60;

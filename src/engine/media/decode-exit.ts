/**
 * Exit codes of the decoding process. `unusable`: its decoder could not be loaded. Any other code or a signal means that the
 * file crashed it.
 */
export const DECODE_EXIT = {
  decoded: 0,
  unreadable: 10,
  noAudio: 11,
  empty: 12,
  tooLong: 13,
  unusable: 14,
} as const;

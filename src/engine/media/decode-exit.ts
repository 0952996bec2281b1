/** Exit codes of the decoding process. Any other code or a signal means that the file crashed it. */
export const DECODE_EXIT = { decoded: 0, unreadable: 10, noAudio: 11, empty: 12, tooLong: 13 } as const;

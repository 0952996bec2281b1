/** What the decoding process says with its exit code. Any other ending means that the file broke it. */
export const DECODE_EXIT = { decoded: 0, unreadable: 10, noAudio: 11, empty: 12, tooLong: 13 } as const;

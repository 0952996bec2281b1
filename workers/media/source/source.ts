/** The bytes of a recording, and why they could not be decoded. */
import { unreadRest } from "../../../src/audio/reading/unread-rest.ts";
import type { DECODE_EXIT } from "../../../src/engine/media/decode-exit.ts";

/** `read` gives fewer bytes than asked for at the end. */
export type Source = { sizeBytes: number; read(position: number, size: number): Buffer };

export class DecodeFailure extends Error {
  /** `found`: what the recording is, where that is known. */
  constructor(
    readonly reason: Exclude<keyof typeof DECODE_EXIT, "decoded" | "unusable">,
    readonly found?: string,
  ) {
    super(reason);
  }
}

/** The bytes from `start` to `end` as a recording of their own. */
export const part = ({ read }: Source, start: number, end: number): Source => ({
  sizeBytes: end - start,
  read: (position, size) => read(start + position, Math.max(0, Math.min(size, end - start - position))),
});

/** How many bytes behind a recording are no part of it. */
export const restBehind = ({ read, sizeBytes }: Source, end: number): number =>
  unreadRest(read, end, sizeBytes);

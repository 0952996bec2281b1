/** The bytes of a recording, and why they could not be decoded. */
import type { DECODE_EXIT } from "../../../src/engine/media/decode-exit.ts";

/** `read` gives fewer bytes than asked for at the end. */
export type Source = { sizeBytes: number; read(position: number, size: number): Buffer };

export class DecodeFailure extends Error {
  constructor(readonly reason: Exclude<keyof typeof DECODE_EXIT, "decoded" | "unusable">) {
    super(reason);
  }
}

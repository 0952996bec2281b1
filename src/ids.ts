/**
 * Identifiers: `<prefix>_` and 24 characters of [0-9a-z] that sort by creation.
 *
 *   req_ 0mh3k2q9x1 7f0c…        9 characters of base-36 milliseconds, then 15 random ones (77 bits)
 */
import { randomFillSync } from "node:crypto";
import type { Clock } from "./clock.ts";

export type IdPrefix =
  | "org"
  | "proj"
  | "key"
  | "req"
  | "grant"
  | "sess"
  | "user"
  | "dsess"
  | "mem"
  | "inv"
  | "cred"
  | "mail"
  | "topup"
  | "voice";

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
const POOL = new Uint8Array(8192);
let spent = POOL.length;

export function newId(prefix: IdPrefix, clock: Clock): string {
  const now = clock.now();
  if (now !== stampedMs) {
    stampedMs = now;
    stamp = now.toString(36).padStart(9, "0");
  }
  return `${prefix}_${stamp}${randomText(ALPHABET, 15)}`;
}

/** The characters of the last millisecond: a busy server makes several ids in one. */
let stampedMs = -1;
let stamp = "";

/** `length` characters drawn evenly from `alphabet` by the system's cryptographic source. */
export function randomText(alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length); // bytes from here on would favour the first letters
  let text = "";
  while (text.length < length) {
    const byte = randomByte();
    if (byte < limit) text += alphabet[byte % alphabet.length];
  }
  return text;
}

function randomByte(): number {
  if (spent === POOL.length) {
    randomFillSync(POOL);
    spent = 0;
  }
  const byte = POOL[spent]!;
  POOL[spent++] = 0;
  return byte;
}

/**
 * Identifiers: `<prefix>_` and 24 characters of [0-9a-z] that sort by creation.
 *
 *   req_ 0mh3k2q9x1 7f0c…        9 characters of base-36 milliseconds, then 15 random ones (77 bits)
 */
import { createHash, randomFillSync } from "node:crypto";
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
  | "factor"
  | "mail"
  | "evt"
  | "whe"
  | "topup"
  | "akey"
  | "audit"
  | "svc"
  | "voice"
  | "cons"
  | "code"
  | "file"
  | "upload"
  | "part"
  | "job"
  | "batch"
  | "rev"
  | "alert"
  | "recip";

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
/** Half as many draws: an id is made for every request. */
const PAIRS = [...ALPHABET].flatMap((first) => [...ALPHABET].map((second) => first + second));
const POOL = new Uint16Array(4096);
let spent = POOL.length;

export function newId(prefix: IdPrefix, clock: Clock): string {
  const now = clock.now();
  if (now !== stampedMs) {
    stampedMs = now;
    stamp = now.toString(36).padStart(9, "0");
  }
  const random =
    pair() + pair() + pair() + pair() + pair() + pair() + pair() + ALPHABET[draw(ALPHABET.length)];
  return `${prefix}_${stamp}${random}`;
}

/** The same id for the same key and Unix second, of the same form. */
export function derivedId(prefix: IdPrefix, key: string, at: number): string {
  const number = BigInt(`0x${createHash("sha256").update(key).digest("hex")}`);
  return `${stampAt(prefix, at)}${number.toString(36).slice(-15).padStart(15, "0")}`;
}

/** How ids of a Unix second begin: smaller than each of them. */
export const stampAt = (prefix: IdPrefix, at: number): string =>
  `${prefix}_${(at * 1000).toString(36).padStart(9, "0")}`;

/** The characters of the last millisecond: a busy server makes several ids in one. */
let stampedMs = -1;
let stamp = "";

const pair = (): string => PAIRS[draw(PAIRS.length)]!;

/** `length` characters drawn evenly from `alphabet` by the system's cryptographic source. */
export const randomText = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[draw(alphabet.length)]).join("");

/** A whole number below `count`, each as likely as the others. */
function draw(count: number): number {
  const limit = 65_536 - (65_536 % count); // numbers from here on would favour the first ones
  while (true) {
    if (spent === POOL.length) {
      randomFillSync(POOL);
      spent = 0;
    }
    const value = POOL[spent]!;
    POOL[spent++] = 0;
    if (value < limit) return value % count;
  }
}

/** Time-based one-time codes (RFC 6238) as authenticator apps make them: SHA-1, six digits, a step of 30 seconds. Pure. */
import { createHmac, timingSafeEqual } from "node:crypto";

const STEP_SECONDS = 30;
/** Clocks of phones differ: the code of the step before counts, and that of the next. */
const SKEW_STEPS = [0, -1, 1];

/** The step that `code` is of, counted from 1970; null if it is of none near `nowSeconds`. */
export function stepOf(code: string, secret: string, nowSeconds: number): number | null {
  const present = Math.floor(nowSeconds / STEP_SECONDS);
  const steps = SKEW_STEPS.map((skew) => present + skew);
  return steps.find((step) => isSame(code, codeOf(secret, step))) ?? null;
}

/** `secret`: as its UTF-8 bytes. @public the authenticator of the tests */
export function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const offset = digest.at(-1)! & 15;
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, "0");
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

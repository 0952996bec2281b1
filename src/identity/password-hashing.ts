/**
 * Password hashing: scrypt, on the runtime's threads. One hash takes 32 MB and a core for about 60 ms, so at most two
 * run at once, a few wait, and more are refused before they delay other requests.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { Refusal } from "../errors.ts";

const COST = { N: 16_384, r: 16, p: 1, maxmem: 2 * 128 * 16_384 * 16 };
const KEY_BYTES = 64;
const AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1));
const WAITING_MAX = 32;

export type Hashing = {
  /** `salt:key`, both in hexadecimal. */
  hash(password: string): Promise<string>;
  verify(password: string, hash: string): Promise<boolean>;
};

export function openHashing(): Hashing {
  const inTurn = turns();
  const keyOf = (password: string, salt: string) => inTurn(() => derived(password, salt));
  return {
    async hash(password) {
      const salt = randomBytes(16).toString("hex");
      return `${salt}:${(await keyOf(password, salt)).toString("hex")}`;
    },
    async verify(password, hash) {
      const [salt = "", kept = ""] = hash.split(":");
      const [ours, theirs] = [await keyOf(password, salt), Buffer.from(kept, "hex")];
      return ours.length === theirs.length && timingSafeEqual(ours, theirs);
    },
  };
}

const derived = (password: string, salt: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, COST, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

/** Runs a limited number at once, in order of arrival, and refuses when the queue is full. */
function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= AT_ONCE) {
      if (waiting.length >= WAITING_MAX) throw busy();
      await new Promise<void>((resolve) => waiting.push(resolve)); // resolved by the task that ends
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

const busy = () =>
  new Refusal("rate_limit_exceeded", "Too many sign-ins at once. Try again in a moment.", {
    retryAfterSeconds: 5,
  });

/**
 * Password hashing: scrypt, on the runtime's threads. One hash takes 32 MB and a core for about 60 ms, so at most two
 * run at once, a few wait, and more are refused before they delay other requests. Callers take turns, so that a flood of
 * one delays others by a hash:
 *
 *   site A  A A A A ──┐
 *   network B  B ─────┼──> A, B, C, A, A …
 *   account C  C ─────┘
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { Refusal } from "../errors.ts";

const COST = 16_384; // N of scrypt
const BLOCKS = 16; // r of scrypt
const KEY_BYTES = 64;
const AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1));
const WAITING_MAX = 32;
const CALLERS_MAX = 32;

/** Who has passwords hashed: a network, or an account that is known by its browser, which always has a place. */
export type HashingCaller = { name: string; isKnown: boolean };

export type Hashing = {
  /** `salt:key`, both in hexadecimal. */
  hash(password: string): Promise<string>;
  verify(password: string, hash: string): Promise<boolean>;
  /** What `work` hashes, through any library, waits for the turns of this caller. */
  asCaller<T>(caller: HashingCaller, work: () => T): T;
};

const SELF: HashingCaller = { name: "", isKnown: true };

/** `cost`: N of scrypt. Passwords verify with the cost that they were hashed with. */
export function openHashing(cost = COST): Hashing {
  const inTurn = openTurns();
  const callers = new AsyncLocalStorage<HashingCaller>();
  const keyOf = (password: string, salt: string) =>
    inTurn(callers.getStore() ?? SELF, () => derived(password, salt, cost));
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
    asCaller: (caller, work) => callers.run(caller, work),
  };
}

const derived = (password: string, salt: string, cost: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(
      password.normalize("NFKC"),
      salt,
      KEY_BYTES,
      { N: cost, r: BLOCKS, p: 1, maxmem: 2 * 128 * cost * BLOCKS },
      (error, key) => (error ? reject(error) : resolve(key)),
    );
  });

/** Runs a limited number at once, callers in turn, and refuses when the queue is full. */
function openTurns(): <T>(caller: HashingCaller, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, (() => void)[]>(); // in turn order: after its turn a caller moves to the end
  let waiting = 0;
  let running = 0;

  /** A full queue has one place left for each other caller. */
  const isFull = ({ name, isKnown }: HashingCaller) =>
    waiting >= WAITING_MAX && (queues.has(name) || (!isKnown && queues.size >= CALLERS_MAX));

  const startNext = () => {
    for (const [name, queue] of queues) {
      if (running >= AT_ONCE) return;
      queues.delete(name);
      const start = queue.shift()!;
      if (queue.length > 0) queues.set(name, queue);
      waiting--;
      running++;
      start();
    }
  };

  return async (caller, work) => {
    if (isFull(caller)) throw busy();
    const { promise: turn, resolve: start } = Promise.withResolvers<void>();
    queues.set(caller.name, [...(queues.get(caller.name) ?? []), start]);
    waiting++;
    startNext();
    await turn;
    try {
      return await work();
    } finally {
      running--;
      startNext();
    }
  };
}

const busy = () =>
  new Refusal("rate_limit_exceeded", "Too many sign-ins at once. Try again in a moment.", {
    retryAfterSeconds: 5,
  });

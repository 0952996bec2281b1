/** Bounds mail that anyone can cause to any address: each address receives a limited number of every kind. */
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import type { Log } from "../log/log.ts";
import { openAttemptCounter } from "./attempt-counter.ts";

const FEW = { most: 5, windowSeconds: 900 };
/** How many mails of each kind are sent to one address. Invitations are also shown after signing in. */
const LETTERS = {
  ...{ verify: FEW, known: FEW, reset: FEW, invite: { most: 10, windowSeconds: 86_400 } },
  /** Whether it wants mail of alerts. */
  alerts: { most: 3, windowSeconds: 86_400 },
};

export type BoundedLetters = {
  isAllowed(letter: keyof typeof LETTERS, to: string): Promise<boolean>;
  atMost(letter: keyof typeof LETTERS, to: string, send: () => Promise<void>): Promise<void>;
};

export function openBoundedLetters(deps: { database: Database; clock: Clock; log: Log }): BoundedLetters {
  const { database, clock, log } = deps;
  const attempts = openAttemptCounter(database, clock);
  async function isAllowed(letter: keyof typeof LETTERS, to: string): Promise<boolean> {
    const { most, windowSeconds } = LETTERS[letter];
    const isFew = (await attempts.count(`letter ${letter}`, to, windowSeconds)) <= most;
    if (!isFew) log.warn("mail_suppressed", { reason: "too many to one address" });
    return isFew;
  }
  return {
    isAllowed,
    async atMost(letter, to, send) {
      if (await isAllowed(letter, to)) await send();
    },
  };
}

/**
 * The bytes that requests may keep in memory: recordings as they arrive and as they are decoded.
 *
 * The server has one limit and each organization half of it, so that no organization can take the room of all others. An
 * organization at its limit gets 429, one that meets a full server 503, both with retry-after.
 */
import { Refusal } from "../errors.ts";

/** What one request holds. Released once, whatever became of it. */
export type Holding = {
  /** Throws where there is no room; what was taken before stays taken. */
  take(sizeBytes: number): void;
  giveBack(sizeBytes: number): void;
  release(): void;
};

export type Budget = { open(organizationId: string): Holding; heldBytes(): number };

const RETRY_SECONDS = 2;

export function openBudget(limitBytes: number): Budget {
  const held = new Map<string, number>();
  let total = 0;
  const add = (organizationId: string, sizeBytes: number) => {
    const own = (held.get(organizationId) ?? 0) + sizeBytes;
    total += sizeBytes;
    if (own > 0) held.set(organizationId, own);
    else held.delete(organizationId);
  };
  const check = (organizationId: string, sizeBytes: number) => {
    const retry = { retryAfterSeconds: RETRY_SECONDS };
    if ((held.get(organizationId) ?? 0) + sizeBytes > limitBytes / 2) {
      const message = "Your organization's requests hold too much audio at once. Wait for one to end.";
      throw new Refusal("concurrency_limit_exceeded", message, retry);
    }
    if (total + sizeBytes > limitBytes) {
      throw new Refusal(
        "service_unavailable",
        "The server holds too much audio. Try again in a moment.",
        retry,
      );
    }
  };
  return {
    heldBytes: () => total,
    open(organizationId) {
      let own = 0;
      const move = (sizeBytes: number) => {
        add(organizationId, sizeBytes);
        own += sizeBytes;
      };
      return {
        take(sizeBytes) {
          check(organizationId, sizeBytes);
          move(sizeBytes);
        },
        giveBack: (sizeBytes) => move(-Math.min(own, sizeBytes)),
        release: () => move(-own),
      };
    },
  };
}

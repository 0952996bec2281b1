/**
 * The memory that requests may hold: recordings as they arrive and as they are decoded.
 *
 * The server has one limit and each organization half of it, so that no organization can use it all. Beyond either,
 * a request is refused with the time to wait.
 */
import { Refusal } from "../errors.ts";

/** The bytes one request holds, released when it ends. */
export type Holding = {
  /** Throws if there is no room; bytes taken before stay taken. */
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
    const usedBytes = (held.get(organizationId) ?? 0) + sizeBytes;
    total += sizeBytes;
    if (usedBytes > 0) held.set(organizationId, usedBytes);
    else held.delete(organizationId);
  };
  const check = (organizationId: string, sizeBytes: number) => {
    const retry = { retryAfterSeconds: RETRY_SECONDS };
    if ((held.get(organizationId) ?? 0) + sizeBytes > limitBytes / 2) {
      const message = "Your organization's requests hold too much audio at once. Wait for one to finish.";
      throw new Refusal("concurrency_limit_exceeded", message, retry);
    }
    if (total + sizeBytes > limitBytes) {
      throw new Refusal(
        "service_unavailable",
        "The server is holding too much audio. Try again in a moment.",
        retry,
      );
    }
  };
  return {
    heldBytes: () => total,
    open(organizationId) {
      let usedBytes = 0;
      const move = (sizeBytes: number) => {
        add(organizationId, sizeBytes);
        usedBytes += sizeBytes;
      };
      return {
        take(sizeBytes) {
          check(organizationId, sizeBytes);
          move(sizeBytes);
        },
        giveBack: (sizeBytes) => move(-Math.min(usedBytes, sizeBytes)),
        release: () => move(-usedBytes),
      };
    },
  };
}

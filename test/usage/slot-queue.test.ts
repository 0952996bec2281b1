/** Promise: requests wait for a slot in the order of their arrival, for a limited time, and not after their client leaves. */
import { describe, expect, test } from "bun:test";
import { openSlotQueue } from "../../src/usage/slots.ts";

const LONG = { waitMs: 60_000, retryMs: 60_000 };
const stays = () => new AbortController().signal;

/** Slots that a test frees; every attempt to take one is counted. */
function slots(free = 0) {
  let attempts = 0;
  return {
    free: (count: number) => {
      free += count;
    },
    takeSlot: async () => {
      attempts++;
      if (free === 0) return false;
      free--;
      return true;
    },
    attempts: () => attempts,
  };
}

describe("a slot queue", () => {
  test("lets requests in as slots are released, first come first served", async () => {
    const queue = openSlotQueue(LONG);
    const { free, takeSlot } = slots();
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (number) => {
      await queue.wait("org", { takeSlot, signal: stays() });
      order.push(number);
    });
    expect(queue.waiting("org")).toBe(3);
    free(1);
    queue.released("org");
    await waiting[0];
    expect(order).toEqual([1]);
    free(2);
    queue.released("org"); // the first one in wakes the next
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
    expect(queue.waiting("org")).toBe(0);
  });

  test("retries at intervals, because other nodes release slots too", async () => {
    const queue = openSlotQueue({ ...LONG, retryMs: 1 });
    const { free, takeSlot } = slots();
    const waiting = queue.wait("org", { takeSlot, signal: stays() });
    free(1);
    expect(await waiting).toBe(true);
  });

  test("gives up after its time limit, with a last attempt", async () => {
    const queue = openSlotQueue({ ...LONG, waitMs: 5 });
    const { takeSlot, attempts } = slots();
    expect(await queue.wait("org", { takeSlot, signal: stays() })).toBe(false);
    expect([attempts(), queue.waiting("org")]).toEqual([1, 0]);
  });

  test("has room for a limited number, of an organization and in all", async () => {
    const queue = openSlotQueue({ ...LONG, organizationMax: 2, waitingMax: 3 });
    const { takeSlot } = slots();
    const leave = new AbortController();
    const enter = (organization: string) => queue.wait(organization, { takeSlot, signal: leave.signal });
    const entered = [enter("a"), enter("a"), enter("b")].map((each) => each.catch(() => "left"));
    expect(await enter("a")).toBe(false);
    expect(await enter("c")).toBe(false);
    leave.abort();
    expect(await Promise.all(entered)).toEqual(["left", "left", "left"]);
  });

  test("drops a request whose client leaves, and goes on with the next", async () => {
    const queue = openSlotQueue(LONG);
    const { free, takeSlot } = slots();
    const leave = new AbortController();
    const first = queue.wait("org", { takeSlot, signal: leave.signal }).catch((error: Error) => error.name);
    const second = queue.wait("org", { takeSlot, signal: stays() });
    free(1);
    leave.abort();
    expect(await first).toBe("AbortError");
    expect(await second).toBe(true);
    expect(await queue.wait("org", { takeSlot, signal: leave.signal }).catch(() => "left")).toBe("left");
  });

  test("passes on what taking a slot throws, and goes on with the next", async () => {
    const queue = openSlotQueue({ ...LONG, retryMs: 1 });
    const fails = queue.wait("org", { takeSlot: () => Promise.reject(new Error("no")), signal: stays() });
    const next = queue.wait("org", { takeSlot: slots(1).takeSlot, signal: stays() });
    await expect(fails).rejects.toThrow("no");
    expect(await next).toBe(true);
  });
});

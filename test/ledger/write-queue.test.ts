/** Promise: writes are batched, a failure is reported at once to those waiting, and log rows survive it. */
import { expect, test } from "bun:test";
import type { RequestLog, Write } from "../../src/ledger/booking/write.ts";
import type { Store } from "../../src/ledger/store.ts";
import { openWriteQueue } from "../../src/ledger/write-queue.ts";
import { takes } from "../until.ts";

/** A store that notes its batches, and fails while it is told to. */
function openStore() {
  const batches: Write[][] = [];
  const state = { fails: false, failsAt: "" };
  const isBad = (write: Write) => "log" in write && write.log.id === state.failsAt;
  const apply = async (writes: Write[]) => {
    await takes(1);
    if (state.fails || writes.some(isBad)) throw new Error("no room");
    batches.push(writes);
    return writes.map(() => ({ done: true }) as const);
  };
  return { batches, state, store: { apply } as unknown as Store };
}

const limit = (organizationId: string): Write => ({ limit: { organizationId, micros: null } });
const log = (id: string): Write => ({ log: { id } as RequestLog });

test("writes that arrive during a batch form the next one", async () => {
  const { batches, store } = openStore();
  await using line = openWriteQueue(store);
  await Promise.all(Array.from({ length: 100 }, (_, index) => line.write(limit(String(index)))));
  expect(batches.map(({ length }) => length)).toEqual([1, 99]);
});

test("writes one after another are all made", async () => {
  const { batches, store } = openStore();
  await using line = openWriteQueue(store);
  const caller = async () => {
    for (let index = 0; index < 50; index++) await line.write(limit("a"));
  };
  await Promise.all([caller(), caller(), caller()]);
  expect(batches.flat().length).toBe(150);
});

test("a log row is written with the next batch, or alone after a moment", async () => {
  const { batches, store } = openStore();
  await using line = openWriteQueue(store);
  const logged = line.write(log("rides"), "deferred");
  await line.write(limit("a"));
  await logged;
  await line.write(log("alone"), "deferred");
  expect(batches).toEqual([[limit("a"), log("rides")], [log("alone")]]);
});

test("when the store fails, waiting writes are rejected at once, and log rows are kept in order", async () => {
  const { batches, state, store } = openStore();
  await using line = openWriteQueue(store);
  state.fails = true;
  const logged = [line.write(log("one"), "deferred"), line.write(log("two"), "deferred")];
  await expect(line.write(limit("a"))).rejects.toMatchObject({ code: "service_unavailable" });
  state.fails = false;
  await line.write(limit("b"));
  await Promise.all(logged);
  expect(batches.flat()).toEqual([limit("b"), log("one"), log("two")]);
});

test("a log row that cannot be stored affects no charge and no other row", async () => {
  const { batches, state, store } = openStore();
  await using line = openWriteQueue(store);
  state.failsAt = "bad";
  const ids = Array.from({ length: 20 }, (_, index) => (index === 7 ? "bad" : `good ${index}`));
  const logged = Promise.allSettled(ids.map((id) => line.write(log(id), "deferred")));
  for (let index = 0; index < 20; index++) await line.write(limit(String(index)));
  const answers = await logged;
  expect(ids.filter((_, index) => answers[index]!.status === "rejected")).toEqual(["bad"]);
  expect(batches.flat().length).toBe(39);
});

test("the queue is bounded", async () => {
  const { state, store } = openStore();
  const line = openWriteQueue(store);
  state.fails = true;
  const logged = Array.from({ length: 10_001 }, (_, index) => line.write(log(String(index)), "deferred"));
  await expect(logged.at(-1)!).rejects.toThrow("too many");
  const rest = Promise.allSettled(logged);
  await line[Symbol.asyncDispose]();
  expect((await rest).every(({ status }) => status === "rejected")).toBe(true);
});

test("closing writes what is queued", async () => {
  const { batches, store } = openStore();
  const line = openWriteQueue(store);
  const logged = Array.from({ length: 600 }, (_, index) => line.write(log(String(index)), "deferred"));
  await line[Symbol.asyncDispose]();
  await Promise.all(logged);
  expect(batches.map(({ length }) => length)).toEqual([256, 256, 88]);
});

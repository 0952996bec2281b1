/** Promise: work is waited for no longer than the limit allows, and its later failure is not reported. */
import { expect, test } from "bun:test";
import { endsWithin, unlessAborted, withTimeout } from "../src/clock.ts";
import { loopTurn } from "./until.ts";

const LONG_MS = 60_000;
const never = () => new Promise<never>(() => {});

test("work ends within a time, or does not", async () => {
  expect(await endsWithin(LONG_MS, Promise.resolve())).toBe(true);
  expect(await endsWithin(1, never())).toBe(false);
  await expect(endsWithin(LONG_MS, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

test("work that takes longer fails with a TimeoutError, or with the error that is given", async () => {
  expect(await withTimeout(LONG_MS, Promise.resolve("done"))).toBe("done");
  await expect(withTimeout(1, never())).rejects.toMatchObject({ name: "TimeoutError" });
  await expect(withTimeout(1, never(), () => new RangeError("late"))).rejects.toThrow(RangeError);
  await expect(withTimeout(LONG_MS, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

test("a signal ends the wait with its reason, before and during the work", async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(signal, Promise.resolve("done"))).toBe("done");
  await expect(unlessAborted(AbortSignal.abort(new Error("left")), never())).rejects.toThrow("left");
  const leaving = new AbortController();
  const waited = unlessAborted(leaving.signal, never());
  leaving.abort(new Error("left"));
  await expect(waited).rejects.toThrow("left");
});

test("work that fails after the wait is over is no unhandled rejection", async () => {
  const works = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const [ending, timed, abandoned] = works.map(({ promise }) => promise);
  await endsWithin(1, ending!);
  await withTimeout(1, timed!).catch(() => {});
  await unlessAborted(AbortSignal.abort(), abandoned!).catch(() => {});
  for (const { reject } of works) reject(new Error("broken")); // Bun fails a test with an unhandled rejection
  await loopTurn();
});

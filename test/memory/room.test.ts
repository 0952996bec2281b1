/** Promise: an organization's simultaneous uploads are limited, in order of arrival, without delaying others. */
import { expect, jest, test } from "bun:test";
import fc from "fast-check";
import { WAIT_MAX_MS } from "../../src/errors.ts";
import { openRoom, type Room } from "../../src/memory/budget.ts";

const signal = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function watched(uploads: Room, sizeBytes: number, organizationId = "a") {
  const seen = { entered: false, leave: () => {} };
  void uploads.enter({ organizationId, sizeBytes, signal }).then((upload) => {
    seen.entered = true;
    seen.leave = () => upload[Symbol.dispose]();
  });
  return seen;
}

test("an upload beyond the limit waits until another one ends, and later ones wait behind it", async () => {
  const uploads = openRoom({ organizationBytes: 100 });
  const [first, second, third, fourth] = [60, 40, 30, 1].map((size) => watched(uploads, size));
  const other = watched(uploads, 100, "b");
  await settled();
  expect([first, second, third, fourth, other].map((each) => each!.entered)).toEqual([
    true,
    true,
    false,
    false,
    true,
  ]);
  second!.leave();
  second!.leave(); // once more changes nothing
  await settled();
  expect([third, fourth].map((each) => each!.entered)).toEqual([true, true]);
});

test("an upload larger than the limit runs alone", async () => {
  const uploads = openRoom({ organizationBytes: 100 });
  const [small, large] = [watched(uploads, 1), watched(uploads, 500)];
  await settled();
  expect(large.entered).toBe(false);
  small.leave();
  await settled();
  expect(large.entered).toBe(true);
});

test("a cancelled upload is refused, and those behind it continue", async () => {
  const uploads = openRoom({ organizationBytes: 100 });
  watched(uploads, 60);
  const caller = new AbortController();
  const left = uploads.enter({ organizationId: "a", sizeBytes: 60, signal: caller.signal });
  const behind = watched(uploads, 40);
  caller.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  await settled();
  expect(behind.entered).toBe(true);
});

test("all organizations share a limit, and take turns at it", async () => {
  const uploads = openRoom({ organizationBytes: 100, totalBytes: 100 });
  const first = watched(uploads, 60, "a");
  const [second, third, other] = [
    watched(uploads, 60, "a"),
    watched(uploads, 40, "a"),
    watched(uploads, 60, "b"),
  ];
  const entered = () => [second, third, other].map((each) => each.entered);
  await settled();
  expect(entered()).toEqual([false, false, false]);
  first.leave();
  await settled();
  expect(entered()).toEqual([false, false, true]);
  other.leave();
  await settled();
  expect(entered()).toEqual([true, true, true]);
});

test("an upload that turns out smaller leaves the rest to others", async () => {
  const room = openRoom({ organizationBytes: 100 });
  const large = await room.enter({ organizationId: "a", sizeBytes: 100, signal });
  const next = watched(room, 60);
  large.shrink(200); // no more than it has
  await settled();
  expect(next.entered).toBe(false);
  large.shrink(40);
  await settled();
  expect(next.entered).toBe(true);
});

test("an upload that found no room in ten minutes is refused, and those behind it continue", async () => {
  jest.useFakeTimers();
  try {
    const room = openRoom({ organizationBytes: 100 });
    watched(room, 60);
    const late = room.enter({ organizationId: "a", sizeBytes: 60, signal }).catch((error) => error);
    jest.advanceTimersByTime(1);
    const behind = watched(room, 40);
    jest.advanceTimersByTime(WAIT_MAX_MS - 1);
    expect(await late).toMatchObject({ code: "concurrency_limit_exceeded", retryAfterSeconds: 60 });
    await Promise.resolve();
    expect(behind.entered).toBe(true);
  } finally {
    jest.useRealTimers();
  }
});

test("every upload runs, and never more than the limit at once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(120), { maxLength: 20 }), async (sizes) => {
      const uploads = openRoom({ organizationBytes: 100 });
      let held = 0;
      const each = async (sizeBytes: number) => {
        using _upload = await uploads.enter({ organizationId: "a", sizeBytes, signal });
        held += sizeBytes;
        expect(held).toBeLessThanOrEqual(Math.max(100, sizeBytes));
        await settled();
        held -= sizeBytes;
      };
      await Promise.all(sizes.map(each));
    }),
    { seed: 1, numRuns: 30 },
  );
});

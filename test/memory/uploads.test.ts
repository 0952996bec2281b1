/** Promise: an organization's simultaneous uploads are limited, in order of arrival, without delaying others. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { openUploads } from "../../src/memory/uploads.ts";

const signal = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function watched(uploads: ReturnType<typeof openUploads>, sizeBytes: number, organizationId = "a") {
  const seen = { entered: false, leave: () => {} };
  void uploads.enter({ organizationId, sizeBytes, signal }).then((upload) => {
    seen.entered = true;
    seen.leave = () => upload[Symbol.dispose]();
  });
  return seen;
}

test("an upload beyond the limit waits until another one ends, and later ones wait behind it", async () => {
  const uploads = openUploads(100);
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
  const uploads = openUploads(100);
  const [small, large] = [watched(uploads, 1), watched(uploads, 500)];
  await settled();
  expect(large.entered).toBe(false);
  small.leave();
  await settled();
  expect(large.entered).toBe(true);
});

test("a cancelled upload is refused, and those behind it continue", async () => {
  const uploads = openUploads(100);
  watched(uploads, 60);
  const caller = new AbortController();
  const left = uploads.enter({ organizationId: "a", sizeBytes: 60, signal: caller.signal });
  const behind = watched(uploads, 40);
  caller.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  await settled();
  expect(behind.entered).toBe(true);
});

test("every upload runs, and never more than the limit at once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(120), { maxLength: 20 }), async (sizes) => {
      const uploads = openUploads(100);
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

/** Promise: the hash of a download does not depend on the order in which its ranges complete, and an abort ends the wait. */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { CompleteRanges, hashRanges } from "../../../src/models/pull/range-hash.ts";

const path = join(mkdtempSync(join(tmpdir(), "loquat-ranges-")), "file");
const content = Buffer.from("The quick brown fox jumps over the lazy dog.");
const SIZE = 8;
const ranges = { bytes: content.length, size: SIZE, count: Math.ceil(content.length / SIZE) };
const indexes = Array.from({ length: ranges.count }, (_, index) => index);
const sha256 = createHash("sha256").update(content).digest("hex");

test("ranges in any order give the hash of the whole", async () => {
  const orders = fc.shuffledSubarray(indexes, { minLength: ranges.count });
  await fc.assert(
    fc.asyncProperty(orders, fc.integer({ min: 0, max: ranges.count }), async (order, before) => {
      await using file = await open(path, "w+");
      const write = (index: number) =>
        file.write(content.subarray(index * SIZE, (index + 1) * SIZE), 0, undefined, index * SIZE);
      for (const index of order.slice(0, before)) await write(index);
      const complete = new CompleteRanges(new Set(order.slice(0, before)));
      const hash = hashRanges(file, ranges, { complete, signal: new AbortController().signal });
      for (const index of order.slice(before)) {
        await write(index);
        complete.add(index);
      }
      expect(await hash).toBe(sha256);
    }),
    { numRuns: 50 },
  );
});

test("an abort ends the wait for a range", async () => {
  await using file = await open(path, "w+");
  const stop = new AbortController();
  const hash = hashRanges(file, ranges, { complete: new CompleteRanges(new Set()), signal: stop.signal });
  stop.abort(new Error("stopped"));
  await expect(hash).rejects.toThrow("stopped");
});

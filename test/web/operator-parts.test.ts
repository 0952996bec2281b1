/** Promise: the operator's pages add downloads up, and say in sentences what was counted. */
import { expect, test } from "bun:test";
import { openMetrics } from "../../src/metrics/metrics.ts";
import { sentenceOf } from "../../src/web/operator/counter-sentences.ts";
import type { Package } from "../../src/web/operator/packages/package.ts";
import { progressText, totalOf } from "../../src/web/operator/packages/total.ts";

test("the total of downloads counts installed, running and queued packages", () => {
  const item = { version: "2", installed_version: null, bytes: 100 };
  const pull = { status: "running", bytes: 0, total: 0, message: null };
  const batch = [
    { ...item, installed_version: "2", pull: null },
    { ...item, pull: { ...pull, bytes: 40, total: 120 } },
    { ...item, installed_version: "1", pull },
  ] as unknown as Package[];
  expect(totalOf(batch)).toEqual({ installed: 1, packages: 3, done: 140, total: 320 });
  const unknown = { ...item, bytes: null, pull } as unknown as Package;
  expect(totalOf([...batch, unknown])).toMatchObject({ packages: 4, done: 140, total: null });
});

test("a download says its size before its first byte, and sizes as the command line does", () => {
  const total = 335_540_000;
  expect(progressText({ done: 0, total: 0, rate: 0 })).toBe("Queued");
  expect(progressText({ done: 0, total, rate: 0 })).toBe("Connecting, 336 MB");
  expect(progressText({ done: 2_340_000, total, rate: 0 })).toBe("2.4 MB of 336 MB");
  expect(progressText({ done: 12_600_000, total, rate: 4_100_000 })).toBe("13 MB of 336 MB, 4.1 MB/s");
});

test("every counter of the server has a sentence, for one and many", () => {
  for (const name of Object.keys(openMetrics().counters()))
    for (const value of [1, 2]) {
      expect(sentenceOf(name, value)).toMatch(/^[A-Z\d].*\.$/);
      expect(sentenceOf(name, value)).not.toContain(name);
    }
  expect(sentenceOf("loquat_requests_total", 1)).toBe("1 request has reached an audio endpoint.");
  expect(sentenceOf("loquat_new_total", 3)).toBe("loquat_new_total: 3");
});

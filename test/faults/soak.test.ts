/** Promise: a mixed load leaves nothing behind: no process, no file, no slot, and a ledger that adds up. */
import { expect, test } from "bun:test";
import { soak } from "../../bench/soak/soak.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";

const SECONDS = 1; // the bench goes on for two hours
const installed = ["sphinx", "espeak", "decode"].every((family) => installedFamilies().has(family));
const unlessInstalled = installed ? "" : " (skipped: needs PocketSphinx, eSpeak NG and FFmpeg)";

test.skipIf(!installed)(
  `nothing is left after requests that succeed, fail and are abandoned${unlessInstalled}`,
  async () => {
    const { requests, failed, early, late, isVerified, slotsLeft } = await soak(SECONDS);
    expect(requests).toBeGreaterThan(0);
    expect({ failed, isVerified, slotsLeft }).toEqual({ failed: 0, isVerified: true, slotsLeft: 0 });
    expect(late).toMatchObject({ files: 0, underWay: 0 });
    expect(late.processes).toBeLessThanOrEqual(Math.max(early.processes, 2)); // eSpeak NG keeps one a thread
  },
  240_000,
);

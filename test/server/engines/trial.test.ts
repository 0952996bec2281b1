/** Promise: the speed that a trial measures is that of an engine that is loaded, however long loading took. */
import { afterEach, expect, jest, spyOn, test } from "bun:test";
import { type Package, readPackages } from "../../../src/models/packages/package.ts";
import { speedOf } from "../../../src/server/engines/speeds.ts";
import { synthesizeOnce } from "../../../src/server/engines/trial.ts";

const pkg = readPackages("models").get("piper-en-joe") as Package;
const SECOND = 24_000;

afterEach(() => jest.restoreAllMocks());

/** The speed of an engine that loads and then takes a second for each run, of two seconds of speech. */
async function speedAfter(loadingMs: number): Promise<number | null> {
  let nowMs = 0;
  let runs = 0;
  spyOn(performance, "now").mockImplementation(() => nowMs);
  const run = async () => {
    nowMs += runs++ === 0 ? loadingMs : 1000;
    return new Float32Array(2 * SECOND).map((_, at) => 0.2 * Math.sin(at / 9));
  };
  const engine = { run } as never;
  const open = { registry: { engine: () => engine }, recording: null as never };
  const trial = await synthesizeOnce(engine, pkg, open);
  expect(trial.fault).toBeNull();
  return speedOf(pkg, trial);
}

test("an engine that loads for a minute, on a busy machine, is as fast as one that loads at once", async () => {
  const speed = await speedAfter(100);
  expect(speed).toBeGreaterThan(1.5);
  expect(await speedAfter(60_000)).toBeCloseTo(speed!, 0);
});

/** Promise: recommended packages can be pulled, fit the machine, and keep up with a listener there. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../src/config/config.ts";
import { type Package, readPackages } from "../../../src/models/packages/package.ts";
import {
  recommended,
  slownessOf,
  speedsHere,
  tooSlow,
  tooSlowText,
} from "../../../src/models/pull/recommend.ts";
import { keepSpeed, readSpeeds } from "../../../src/models/store/measured-speeds.ts";

const GIGABYTE = 2 ** 30;
const known = readPackages(readConfig({}).models.folder);
const weights = mkdtempSync(join(tmpdir(), "loquat-speeds-"));
afterAll(() => rmSync(weights, { recursive: true }));

test.each([
  ["a small board", { cores: 2, memoryBytes: 2 * GIGABYTE, gpu: false }, "whisper-tiny"],
  ["a laptop", { cores: 2, memoryBytes: 4 * GIGABYTE, gpu: false }, "whisper-base"],
  ["a server", { cores: 16, memoryBytes: 64 * GIGABYTE, gpu: false }, "parakeet-tdt-0.6b-v3"],
  ["a machine with a GPU", { cores: 8, memoryBytes: 16 * GIGABYTE, gpu: true }, "whisper-large-v3-turbo"],
])("the recommended packages fit %s", (_name, machine, vadStream) => {
  const names = recommended(
    known.values(),
    machine,
    speedsHere(known.values(), readSpeeds("/nowhere", machine.gpu), machine),
  );
  expect(names.filter((name) => !known.has(name))).toEqual([]);
  expect(names.filter((name) => known.get(name)!.license.acceptance)).toEqual([]); // one command, no question
  expect(names).toContain(vadStream);
  expect(names).toContain("silero-vad");
  expect(names.some((name) => known.get(name)!.family === "kokoro")).toBe(true);
});

describe("of two packages for one purpose", () => {
  const machine = { cores: 2, memoryBytes: 4 * GIGABYTE, gpu: false };
  const needs = { purpose: "speech", cores: 1, memoryGb: 0, gpu: false };
  const like = (
    from: string,
    { name, rank, speed }: { name: string; rank: number; speed: number },
  ): Package => ({
    ...known.get(from)!,
    name,
    variants: { cpu: [], gpu: [] },
    recommended: { ...needs, rank },
    measured: [{ variant: null, memoryMb: 100, speed }],
    languages: ["de"],
    voices: [],
  });
  const heavy = like("kokoro-82m", { name: "heavy", rank: 2, speed: 2.7 });
  const light = like("piper-de-thorsten", { name: "light", rank: 1, speed: 16 });
  const packages = [heavy, light];
  const here = (cores = 2) => speedsHere(packages, readSpeeds(weights, machine.gpu), { ...machine, cores });
  const chosen = (cores = 2) => recommended(packages, machine, here(cores));

  test("the better one is taken where its manifest lets expect that it keeps up", () => {
    expect(chosen()).toEqual(["heavy"]);
    expect(here(1)(heavy)).toBe(1.35);
    expect(here(64)(heavy)).toBe(5.4);
  });

  test("the other one is taken where the better one was measured to be too slow", () => {
    keepSpeed(weights, { package: heavy, variant: null }, { speed: 0.71, hasGpu: false });
    expect(chosen()).toEqual(["light"]);
  });

  test("what was measured of one tells what to expect of the other", () => {
    expect(here()(light)).toBeCloseTo((16 * 0.71) / 2.7);
  });

  test("none is taken where none keeps up, and the fastest is named", () => {
    const speedOf = (pkg: Package) => (pkg === heavy ? 0.2 : 0.4);
    expect(recommended(packages, machine, speedOf)).toEqual([]);
    expect(tooSlow(packages, machine, speedOf)).toEqual([light]);
    expect(tooSlowText(light, { speedOf, builtIn: "Ada (Flite)" })).toBe(
      "Nothing is recommended for speech: light, the fastest, is expected to speak at about 0.4 times real time on this machine. Ada (Flite) needs no package, and keeps up.",
    );
    expect(tooSlow(packages, machine, () => null)).toEqual([]);
  });

  test("the operator is told of the slow one, what follows, and what to use", () => {
    const compared = { packages, speedOf: here() };
    expect(slownessOf(heavy, { ...compared, isMeasured: true })).toBe(
      `heavy speaks at 0.7 times real time on this machine: streams will pause. Use light instead: ${light.title}.`,
    );
    expect(slownessOf(light, { ...compared, isMeasured: true })).toBeNull();
    const nearly = { packages: [heavy], speedOf: () => 1.1, isMeasured: false };
    expect(slownessOf(heavy, nearly)).toBe(
      "heavy is expected to speak at about 1.1 times real time on this machine: streams will pause when the machine is busy.",
    );
  });
});

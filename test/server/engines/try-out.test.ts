/** Promise: published weights that were damaged are refused by name, and what was installed before stays. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../src/config/config.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { type Package, readPackages } from "../../../src/models/packages/package.ts";
import { importFolder } from "../../../src/models/store/bundle.ts";
import { ranOf, readSpeeds } from "../../../src/models/store/measured-speeds.ts";
import { openModelStore } from "../../../src/models/store/model-store.ts";
import { faultOfSpeech, faultOfText } from "../../../src/server/engines/output-faults.ts";
import { tryOutOn } from "../../../src/server/engines/try-out.ts";
import { realWeights, unlessReal } from "../../../testing/packages/real-weights.ts";
import { writeWhisper } from "../../../testing/packages/whisper-weights.ts";

setDefaultTimeout(120_000);

const SECOND = 24_000;
const TEXT = "The quick brown fox jumps over the lazy dog.";
const wave = (volume: number, length = SECOND) =>
  new Float32Array(length).map((_, at) => volume * Math.sin(at / 9));

test.each<[name: string, samples: Float32Array, fault: string | null]>([
  ["speech", wave(0.2), null],
  ["a moment", wave(0.2, 2400), "0.10 s of"],
  ["silence", wave(0), "as silence"],
  ["what is next to silence", wave(0.0005), "at -69 dB of full scale"],
  ["a signal beyond full scale", wave(20), "at 23 dB of full scale"],
  ["no numbers", wave(Number.NaN), "no numbers"],
])("%s is what it is", (_name, samples, fault) => {
  const found = faultOfSpeech(samples, TEXT);
  if (fault === null) expect(found).toBeNull();
  else expect(found).toContain(fault);
});

test("a recognizer of English finds a third of the words at least", () => {
  expect(faultOfText("the quick brown box jumps of a lazy dog", TEXT)).toBeNull();
  expect(faultOfText("", TEXT)).toContain("recognized nothing");
  expect(faultOfText("ized Ġw hich fox azon", TEXT)).toContain("do not belong together");
});

const unless = [
  unlessReal("whisper", "piper"),
  installedFamilies().has("espeak") ? "" : " (skipped: eSpeak NG is not installed)",
].join("");
const root = mkdtempSync(join(tmpdir(), "loquat-try-"));
const config = readConfig({ LOQUAT_WEIGHTS: join(root, "weights"), LOQUAT_THREADS: "2" });
const { weights, folder } = config.models;
afterAll(() => rmSync(root, { recursive: true }));

/** A manifest that knows no hash, so that only a run tells what is wrong. */
function unpinned(name: string, as: string): Package {
  const known = readPackages(folder).get(name)!;
  const files = known.files.filter(({ variant }) => variant === undefined || variant === "fp32");
  return {
    ...known,
    name: as,
    variants: { cpu: [], gpu: [] },
    files: files.map(({ variant: _, ...file }) => ({ ...file, bytes: null, sha256: null })),
  };
}

type Json = Record<string, unknown>;
const changeJson = (path: string, change: (json: Json) => Json) =>
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")))));

const VOICE = "en_US-joe-medium.onnx";
const CASES: [package_: string, what: string, damage: (folder: string) => void, reason: RegExp][] = [
  ["voice", "cut short", (at) => truncateSync(join(at, VOICE), 30_000_000), /no ONNX model|truncated/],
  [
    "voice",
    "of another family",
    (at) => cpSync(join(at, "../recognizer/encoder_model.onnx"), join(at, VOICE)),
    /has no input input/,
  ],
  ["recognizer", "cut short", (at) => truncateSync(join(at, "encoder_model.onnx"), 9_000_000), /truncated/],
  [
    "recognizer",
    "of another width",
    (at) => changeJson(join(at, "config.json"), (json) => ({ ...json, d_model: 512 })),
    /is 384, published: 512/,
  ],
];

describe.skipIf(unless !== "")(`published weights${unless}`, () => {
  const packages = {
    voice: unpinned("piper-en-joe", "voice"),
    recognizer: unpinned("whisper-tiny.en", "recognizer"),
  };
  const installed = (name: string) => openModelStore(weights).installed(name);
  const put = (from: string, pkg: Package) =>
    importFolder(from, pkg, { weights, licenseAccepted: false, tryOut: tryOutOn(config) });

  beforeAll(async () => {
    cpSync(realWeights("piper")!, join(root, "voice"), { recursive: true });
    mkdirSync(join(root, "recognizer"));
    writeWhisper(realWeights("whisper")!, join(root, "recognizer"));
    for (const [name, pkg] of Object.entries(packages)) await put(join(root, name), pkg);
  });

  test("are installed, and their speed is kept", () => {
    for (const name of Object.keys(packages)) {
      const speed = readSpeeds(weights, false)(ranOf(installed(name)!.package, "cpu"));
      expect(speed).toBeGreaterThan(0);
    }
  });

  test.each(CASES)("a %s %s is refused, and the installed one stays", async (name, what, damage, reason) => {
    const before = installed(name);
    const damaged = join(root, `${name} ${what}`);
    cpSync(join(root, name), damaged, { recursive: true });
    damage(damaged);
    const next = { ...packages[name as keyof typeof packages], version: "2026-12-01" };
    const refused = await put(damaged, next).catch((error: Error) => error.message);
    expect(refused).toMatch(reason);
    expect(refused).toStartWith(`${name} cannot run: `);
    expect(installed(name)).toEqual(before);
    rmSync(damaged, { recursive: true });
  });
});

/**
 * Promise: what `npm run test:weights` does with weights was done before: the twins of packages pass through the
 * measurements of every task, and the table says of each whether it keeps its bounds.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig } from "../../src/config/config.ts";
import { type FamilyTask, familyOf } from "../../src/engine/families/families.ts";
import { readPackages } from "../../src/models/packages/package.ts";
import { openModelStore } from "../../src/models/store/model-store.ts";
import { openTestStore, storePackage } from "../../testing/packages/model-store.ts";
import { twinOf, variantsOf } from "../../testing/packages/twins.ts";
import { measurePackage } from "./measured-package.ts";
import {
  type Bounds,
  type Measured,
  type MeasuredRow,
  rowOf,
  tableText,
  USUAL_BOUNDS,
} from "./measurement.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());
const environment = { ...process.env, LOQUAT_WEIGHTS: store.weights, LOQUAT_THREADS: "2" };
const packages = readPackages(readConfig({}).models.folder);

/** Random weights keep none but these. */
const NO_BOUNDS: Bounds = ({ kind }) => (kind === "memory" ? { most: 100_000 } : null);
const LITTLE = { sentences: 1, languages: 1, recordings: 1 };

function measured(name: string, bounds = NO_BOUNDS): Promise<MeasuredRow[]> {
  const pkg = packages.get(name)!;
  return measurePackage({ pkg, variant: variantsOf(pkg)[0]!, extent: LITTLE, bounds, environment });
}

const NAMES = [
  "misaki-en",
  "silero-vad",
  "smart-turn-v3",
  "3dspeaker-campplus-zh-en",
  "pyannote-segmentation-3.0",
  "piper-ru-irina",
  "kokoro-82m",
  "supertonic-3",
  "fastconformer-ru",
  "nemotron-en-streaming",
  "whisper-tiny",
];
for (const name of NAMES) {
  const pkg = packages.get(name)!;
  const { locked, contents } = await twinOf(pkg, variantsOf(pkg)[0]!);
  storePackage(store.weights, locked, contents);
}

async function openLittleStore() {
  const weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
  const { locked, contents } = await twinOf(packages.get("misaki-en")!, null);
  storePackage(weights, locked, contents);
  return { weights, [Symbol.dispose]: () => rmSync(weights, { recursive: true, force: true }) };
}

const KINDS: Record<FamilyTask, string[]> = {
  synthesis: ["word errors", "first audio", "speed", "memory"],
  recognition: ["word errors", "speed", "memory"],
  "streaming-recognition": ["word errors", "speed", "word errors", "speed", "memory"],
  "voice-activity": ["right answers", "speed", "memory"],
  "turn-detection": ["right answers", "memory"],
  pronunciation: ["right answers"],
  diarization: ["right answers", "speed", "memory"],
  "speaker-embedding": ["right answers", "speed", "memory"],
  program: [],
};
const kindOf = ({ measured }: MeasuredRow) => measured.split(":")[0]!;

test.each(NAMES)("the twin of %s is measured in all that its task has", async (name) => {
  const rows = await measured(name);
  const kinds = KINDS[familyOf(packages.get(name)!.family).task];
  expect([...new Set(rows.map(kindOf))]).toEqual([...new Set(kinds)]);
  expect(rows.map(({ result }) => result)).not.toContain("fails");
});

/** Results by kind; what depends on the time of the machine is left out. */
const resultsOf = (rows: MeasuredRow[]) =>
  rows
    .filter((row) => !["speed", "first audio"].includes(kindOf(row)))
    .map((row) => [kindOf(row), row.bound, row.result]);

test("a voice whose words are not recognized fails that bound only", async () => {
  const rows = await measured("kokoro-82m", USUAL_BOUNDS);
  expect(resultsOf(rows)).toEqual([
    ["word errors", "at most 25", "fails"],
    ["memory", expect.stringMatching(/^at most \d+$/), "ok"],
  ]);
  expect(rows[0]!.measured).toMatch(/1 sentence recognized by whisper-tiny \(Open ASR English\)$/);
});

test("a recognizer that writes random words fails its bound", async () => {
  const rows = await measured("whisper-tiny", USUAL_BOUNDS);
  const [errors, ...others] = resultsOf(rows);
  expect(errors).toEqual(["word errors", "at most 25", "fails"]);
  expect(others.map(([kind]) => kind)).toContain("memory");
});

test("each kind has its bound, by the size and the family of the package", () => {
  const boundOf = (name: string, measured: Omit<Measured, "detail" | "value">) =>
    USUAL_BOUNDS({ detail: "", value: 1, ...measured }, packages.get(name)!);
  const errors = (language: string, isHard = false) => ({ kind: "word errors", language, isHard }) as const;
  expect([
    boundOf("whisper-large-v3", errors("en")),
    boundOf("whisper-tiny", errors("en")),
    boundOf("parakeet-tdt-0.6b-v3", errors("de", true)),
    boundOf("parakeet-tdt-0.6b-v3", errors("pl")),
    boundOf("parakeet-tdt-0.6b-v3", errors("pl", true)),
    boundOf("whisper-large-v3", errors("ka")),
    boundOf("smart-turn-v3", { kind: "right answers" }),
    boundOf("silero-vad", { kind: "right answers" }),
    boundOf("piper-de-thorsten", { kind: "first audio" }),
    boundOf("piper-de-thorsten", { kind: "speed" }),
    boundOf("piper-de-thorsten", { kind: "memory" }),
  ]).toEqual([
    { most: 10 },
    { most: 25 },
    { most: 25 },
    { most: 25 },
    null,
    null,
    { least: 75 },
    { least: 100 },
    { most: 3000 },
    { least: 1 },
    { most: 790 },
  ]);
});

test("a package that cannot be opened fails by name", async () => {
  const { files } = packages.get("smart-turn-v3")!;
  const { folder } = openModelStore(store.weights).installed("smart-turn-v3")!;
  rmSync(join(folder, files[0]!.path));
  const [failed] = await measured("smart-turn-v3");
  expect(failed).toMatchObject({ package: "smart-turn-v3", variant: "-", result: "fails" });
  expect(failed!.measured).toContain("smart");
});

test("the table says what was measured, of what, and whether its bound holds", () => {
  const judged = { pkg: packages.get("whisper-large-v3")!, variant: "q8", bounds: USUAL_BOUNDS };
  const all: Measured[] = [
    { kind: "word errors", detail: "de, 10 sentences", language: "de", value: 4.123 },
    { kind: "word errors", detail: "pl, 2 sentences", language: "pl", value: 31 },
    { kind: "word errors", detail: "ka, 2 sentences", language: "ka", value: 60 },
    { kind: "word errors", detail: "eu, no voice", language: "eu", value: null },
    { kind: "speed", detail: "", value: 0.5 },
  ];
  expect(tableText(all.map((each) => rowOf(each, judged)))).toBe(
    [
      "PACKAGE           VARIANT  MEASURED                       VALUE           BOUND       RESULT",
      "whisper-large-v3  q8       word errors: de, 10 sentences  4.12 %          at most 10  ok",
      "whisper-large-v3  q8       word errors: pl, 2 sentences   31 %            at most 25  fails",
      "whisper-large-v3  q8       word errors: ka, 2 sentences   60 %            -           measured",
      "whisper-large-v3  q8       word errors: eu, no voice      -               -           not measured",
      "whisper-large-v3  q8       speed                          0.5 x realtime  at least 1  fails",
    ].join("\n"),
  );
});

test("one run measures what is installed, names the rest in a line for each task, and ends with the table", async () => {
  using store = await openLittleStore();
  const run = Bun.spawnSync(
    [process.execPath, "test", fileURLToPath(new URL("installed.test.ts", import.meta.url))],
    {
      env: { ...environment, LOQUAT_WEIGHTS: store.weights },
    },
  );
  const printed = `${run.stdout}${run.stderr}`;
  expect(printed).toMatch(
    /^PACKAGE +VARIANT +MEASURED[\s\S]*^misaki-en +- +right answers: .+ at least 100 +fails$/m,
  );
  expect(printed).toMatch(/recognition > packages that are not installed: .*\bfastconformer-ru, /);
  expect(printed.match(/not installed/g)!.length).toBeLessThanOrEqual(Object.keys(KINDS).length);
  expect(run.exitCode).toBe(1);
});

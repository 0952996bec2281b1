/** Puts packages that a test wrote in its own model store, as a pull would, and runs it. */

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import type { Family } from "../../src/engine/families/families.ts";
import { type EngineRegistry, openRegistry } from "../../src/engine/registry.ts";
import { type Package, parsePackage } from "../../src/models/packages/package.ts";
import { incomingOf } from "../../src/models/store/incoming.ts";
import type { TryOut } from "../../src/models/store/installed-variants.ts";
import { fileOf, openModelStore } from "../../src/models/store/model-store.ts";
import { install, keepBlob, type Locked } from "../../src/models/store/store-writer.ts";
import { engineSpecs } from "../../src/server/engines/engine-specs.ts";

/** What a package of a family is, beyond its contents: by role, a path and its bytes. */
export type Contents = Record<string, { path: string; bytes: Uint8Array | string }>;

type Made = {
  options?: object;
  contents: Contents;
  offers?: Pick<Package, "voices" | "languages" | "recognition">;
  /** The one precision of the package, for the processor and for a GPU. */
  variant?: string;
};

type Optional = "measured" | "loudness" | "voices" | "languages" | "recognition" | "recommended";

export function packageOf(
  name: string,
  family: Family,
  { options = {}, contents, offers, variant }: Made,
): Locked {
  const files = Object.entries(contents).map(([role, { path, bytes }]) => ({
    role,
    path,
    bytes: Buffer.byteLength(bytes),
    sha256: createHash("sha256").update(bytes).digest("hex"),
    ...(variant ? { variant } : {}),
  }));
  const variants = variant ? [variant] : [];
  const written: Record<Exclude<keyof Package, Optional>, unknown> = {
    name,
    version: "2026-01-01",
    family,
    title: name,
    license: { spdx: "MIT", url: "https://example.org/license", acceptance: false, attribution: "a test" },
    sources: ["https://example.org/"],
    variants: { cpu: variants, gpu: variants },
    files,
    options,
    published: "",
    ...offers,
  };
  return parsePackage(name, JSON.stringify(written)) as Locked;
}

/** For packages whose files are of no model. */
export const UNTRIED: TryOut = async () => () => {};

export function storePackage(weights: string, locked: Locked, contents: Contents): void {
  for (const { bytes } of Object.values(contents)) {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const waiting = incomingOf(weights, sha256);
    writeFileSync(waiting, bytes);
    keepBlob(weights, waiting, sha256);
  }
  install(weights, locked);
}

export type TestStore = AsyncDisposable & {
  weights: string;
  registry: EngineRegistry;
  add(name: string, family: Family, made: Made): void;
  /** Paths of the files of an added package, by their roles. */
  filesOf(name: string): (role: string) => string;
};

export function openTestStore(environment: Record<string, string> = {}): TestStore {
  const weights = mkdtempSync(join(tmpdir(), "loquat-store-"));
  const config = readConfig({ LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2", ...environment });
  const store = openModelStore(weights);
  const registry = openRegistry(engineSpecs(config, store));
  return {
    weights,
    registry,
    add: (name, family, made) => storePackage(weights, packageOf(name, family, made), made.contents),
    filesOf: (name) => (role) => fileOf(store.installed(name), role)!,
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]();
      rmSync(weights, { recursive: true, force: true });
    },
  };
}

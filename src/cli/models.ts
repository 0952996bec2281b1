/** `loquat models …`: what can be installed, and what is; each word is one thing to do with it. */
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Config, readConfig } from "../config.ts";
import { installedFamilies } from "../engine/families/installed.ts";
import { buildCatalogue, type Catalogue } from "../models/catalogue.ts";
import { readManifests } from "../models/manifest.ts";
import { modelObject } from "../models/objects.ts";
import { type Package, parsePackage, readPackage, readPackages } from "../models/package.ts";
import { exportPackage, importBundle, importFolder } from "../models/store/bundle.ts";
import { inLock } from "../models/store/lock.ts";
import { type Installed, openModelStore, runnable } from "../models/store/model-store.ts";
import { megabytes } from "../models/store/pull.ts";
import { hashOf, remove } from "../models/store/store-writer.ts";
import { benchModels, checkModels } from "./models-check.ts";
import { pullModels } from "./models-pull.ts";
import { printLine, printTable, UsageError } from "./output.ts";

const OPTIONS = {
  json: { type: "boolean", default: false },
  out: { type: "string" },
  as: { type: "string" },
  variant: { type: "string" },
  mirror: { type: "string" },
  "accept-license": { type: "boolean", default: false },
} as const;

export type ModelFlags = ReturnType<typeof parse>["values"];
export type Surroundings = { folder: string; weights: string; flags: ModelFlags };
type Word = (names: string[], around: Surroundings) => Promise<void> | void;

const WORDS: Record<string, Word> = {
  list,
  info,
  pull: pullModels,
  verify,
  rm,
  import: importModels,
  export: exportModels,
  add,
  check: checkModels,
  bench: benchModels,
};

export async function models(args: string[]): Promise<void> {
  const { values: flags, positionals } = parse(args);
  const [name = "", ...names] = positionals;
  const word = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
  if (!word) throw new UsageError(`models takes one word: ${Object.keys(WORDS).join(", ")}.`);
  const { folder, weights } = readConfig().models;
  await word(names, { folder, weights, flags });
}

function parse(args: string[]) {
  return parseArgs({ args, options: OPTIONS, allowPositionals: true });
}

function list(_names: string[], { folder, weights, flags }: Surroundings): void {
  const store = openModelStore(weights);
  const { entries } = openCatalogue(readConfig().models);
  const data = entries.map((entry) => ({ ...modelObject(entry), installed: entry.version !== null }));
  const packages = [...readPackages(folder).values()].map((own) => rowOf(own, store.installed(own.name)));
  if (flags.json) {
    printLine(JSON.stringify({ object: "list", data, packages }, null, 2));
    return;
  }
  printTable(data, [
    "id",
    "type",
    "status",
    "installed",
    "public_version",
    "capabilities",
    "supported_languages",
  ]);
  printLine("\nPackages, for `loquat models pull`:\n");
  printTable(packages, ["name", "installed", "size", "license", "title"]);
}

function rowOf(own: Package, installed: Installed | null) {
  const files = installed?.package.files ?? own.files;
  const known = files.every(({ bytes }) => bytes !== null);
  const bytes = files.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
  return {
    name: own.name,
    family: own.family,
    title: own.title,
    license: own.license.spdx,
    installed: installed?.package.version ?? null,
    size: installed && known ? megabytes(bytes) : null,
  };
}

function info([name]: string[], { folder, weights, flags }: Surroundings): void {
  const own = knownPackage(folder, name);
  const installed = openModelStore(weights).installed(own.name);
  if (flags.json) {
    printLine(JSON.stringify({ ...own, installed: installed?.package ?? null }, null, 2));
    return;
  }
  printLine(`${own.name} ${own.version}: ${own.title}`);
  printLine(`licence    ${own.license.spdx} (${own.license.attribution}), ${own.license.url}`);
  printLine(`from       ${own.sources.join(" or ")}`);
  printLine(`precisions ${[...new Set([...own.variants.cpu, ...own.variants.gpu])].join(", ") || "one"}`);
  if (own.published) printLine(`published  ${own.published}`);
  printLine(installed ? `installed  ${installed.folder}` : "installed  no");
  for (const file of installed?.package.files ?? own.files)
    printLine(
      `  ${file.path}${file.variant ? ` (${file.variant})` : ""}${file.bytes === null ? "" : `, ${file.bytes} bytes`}`,
    );
}

export function knownPackage(folder: string, name: string | undefined): Package {
  if (!name) throw new UsageError("Say which package: `loquat models list` names them.");
  const own = readPackages(folder).get(name);
  if (!own) throw new UsageError(`There is no package ${name}. \`loquat models list\` names them.`);
  return own;
}

/** Those named, or all that are installed. */
export function installedPackages(weights: string, names: string[]): Installed[] {
  const store = openModelStore(weights);
  if (names.length === 0) return store.list();
  return names.map((name) => {
    const installed = store.installed(name);
    if (!installed) throw new UsageError(`${name} is not installed.`);
    return installed;
  });
}

async function verify(names: string[], { weights }: Surroundings): Promise<void> {
  for (const installed of installedPackages(weights, names)) {
    const { name } = installed.package;
    const damaged = await damagedFiles(installed);
    for (const path of damaged)
      printLine(`damaged  ${name}: ${path}. Run \`loquat models rm ${name}\` and pull it again.`);
    if (damaged.length > 0) process.exitCode = 1;
    else printLine(`whole    ${name}`);
  }
}

async function damagedFiles({ package: own, folder }: Installed): Promise<string[]> {
  const damaged: string[] = [];
  for (const { path, sha256, bytes } of own.files) {
    const file = join(folder, path);
    const isThere = existsSync(file) && statSync(file).size === bytes;
    if (!isThere || (await hashOf(file)) !== sha256) damaged.push(path);
  }
  return damaged;
}

async function rm(names: string[], { weights }: Surroundings): Promise<void> {
  if (names.length === 0) throw new UsageError("Say which package to remove.");
  for (const name of names) {
    const wasThere = await inLock(weights, () => remove(weights, name));
    if (!wasThere) throw new UsageError(`${name} is not installed.`);
    printLine(`removed  ${name}`);
  }
}

async function importModels([from]: string[], { folder, weights, flags }: Surroundings): Promise<void> {
  if (!from || !existsSync(from)) throw new UsageError("Say which folder or bundle to import.");
  const options = { weights, licenseAccepted: flags["accept-license"] };
  const locked = statSync(from).isDirectory()
    ? await importFolder(from, flags.as ? knownPackage(folder, flags.as) : null, options)
    : await importBundle(from, options);
  printLine(`installed  ${locked.name} ${locked.version}`);
}

async function exportModels(names: string[], { weights, flags }: Surroundings): Promise<void> {
  if (names.length !== 1) throw new UsageError("Say which package to export.");
  const [installed] = installedPackages(weights, names);
  const out = flags.out ?? `${names[0]}.tar`;
  await exportPackage(installed!, out);
  printLine(`${out}  ${megabytes(statSync(out).size)}`);
}

/** A package of one's own: its manifest, by file or address, among the known ones. */
async function add([from]: string[], { folder }: Surroundings): Promise<void> {
  if (!from) throw new UsageError("Say which manifest to add: a file or an address.");
  const isAddress = /^https?:\/\//.test(from);
  if (!isAddress && !existsSync(from)) throw new UsageError(`There is no file ${from}.`);
  const own = isAddress ? parsePackage(from, await (await fetch(from)).text()) : readPackage(from);
  const path = join(folder, "packages", `${own.name}.json`);
  if (existsSync(path)) throw new UsageError(`There is a package ${own.name} already.`);
  writeFileSync(path, `${JSON.stringify(own, null, 2)}\n`);
  printLine(`added  ${own.name}: \`loquat models pull ${own.name}\` installs it`);
}

export function openCatalogue({ folder, weights }: Config["models"]): Catalogue {
  return buildCatalogue(readManifests(folder), runnable(openModelStore(weights), installedFamilies()));
}

/**
 * `npm run build`: makes the executables.
 *
 *   npm run build                                   for this machine, both flavours
 *   npm run build -- --target all                   for every platform
 *   npm run build -- --target linux-arm64 --flavour apache [--libraries FOLDER] [--runtime FILE]
 */
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../../package.json";
import { TYPEFACES } from "../../src/api/pages/web-bundle.ts";
import { commandNodes } from "../../src/cli/completion/tree.ts";
import { manPage } from "../../src/cli/installation/man.ts";
import { wholeProgram } from "../../src/cli/program.ts";
import { VARIABLES } from "../../src/config/config.ts";
import { readManifests } from "../../src/models/manifest.ts";
import { bundledPackages, compile } from "./compile.ts";
import { componentsOf, licenseTexts } from "./components.ts";
import { nativesOf } from "./natives.ts";
import { pack } from "./pack.ts";
import { sbomOf } from "./sbom.ts";
import {
  ALL_FLAVOURS,
  ALL_TARGETS,
  BuildError,
  type Flavour,
  fileName,
  hostTarget,
  OUTPUT,
  ROOT,
  targetOf,
} from "./target.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", default: hostTarget() },
    flavour: { type: "string", default: "all" },
    libraries: { type: "string" },
    runtime: { type: "string" },
  },
});

/** Bytes that an executable may have; more is a defect. */
const LIMITS: Record<string, number> = {
  "loquat-linux-x64": 203_000_000,
  "loquat-apache-linux-x64": 153_000_000,
};

async function build(name: string, flavour: Flavour): Promise<void> {
  const target = targetOf(name);
  const { files, missing } = nativesOf(target, flavour, values.libraries ?? null);
  const native = files.map((file) => file.package);
  const components = componentsOf([
    ...(await bundledPackages(flavour)),
    ...native,
    "bun",
    "minimp3",
    ...TYPEFACES,
  ]);
  const packages = Object.fromEntries(components.map((each) => [each.name, each.version ?? ""]));
  const stage = join(OUTPUT, ".stage");
  rmSync(stage, { recursive: true, force: true });
  readManifests(join(ROOT, "models")); // checks all packages and manifests: the executable reads them unchecked
  const copied = ["models", "drizzle"];
  for (const folder of copied)
    cpSync(join(ROOT, folder), join(stage, folder), { recursive: true, filter: isUsed });
  await pack(join(stage, "packed"), { flavour, files, packages, licenses: licenseTexts(components) });
  const file = fileName(target, flavour);
  const outfile = join(OUTPUT, file);
  await compile({ target, flavour, stage, outfile, runtime: values.runtime ?? null });
  rmSync(stage, { recursive: true, force: true });
  const { size } = statSync(outfile);
  if (size >= (LIMITS[file] ?? Infinity))
    throw new BuildError(`${file} has ${size} bytes, which is too much.`);
  const product = { name: file, version, sha256: sha256Of(readFileSync(outfile)) };
  writeFileSync(join(OUTPUT, `${file}.cdx.json`), sbomOf(product, components));
  console.log(`${file}  ${size} bytes, ${components.length} components`);
  for (const each of missing) console.log(`  missing: ${each}`);
}

/** Snapshots of the schema are for making migrations. */
const isUsed = (path: string) => !path.endsWith("_snapshot.json");

const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** The manual page, which is the same for every platform. */
async function writeManPage(): Promise<void> {
  const page = manPage(commandNodes(await wholeProgram()), VARIABLES, version);
  writeFileSync(join(OUTPUT, "loquat.1"), page);
}

/** In the format of `sha256sum --check`. */
function writeChecksums(): void {
  const names = readdirSync(OUTPUT).filter((name) => name.startsWith("loquat"));
  const lines = names.sort().map((name) => `${sha256Of(readFileSync(join(OUTPUT, name)))}  ${name}\n`);
  writeFileSync(join(OUTPUT, "SHA256SUMS"), lines.join(""));
}

try {
  const flavours = ALL_FLAVOURS.filter((each) => values.flavour === "all" || values.flavour === each);
  if (flavours.length === 0) throw new BuildError(`There is no flavour ${values.flavour}.`);
  const names = values.target === "all" ? ALL_TARGETS : [values.target];
  for (const name of names) for (const flavour of flavours) await build(name, flavour);
  await writeManPage();
  writeChecksums();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

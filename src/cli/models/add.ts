/** `loquat models add`: a model of the operator's own, or a package manifest. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { unreadReason } from "../../engine/families/readers.ts";
import { isLanguageTag } from "../../language-tag.ts";
import {
  filesOf,
  type Package,
  PackageError,
  parsePackage,
  readPackage,
} from "../../models/packages/package.ts";
import { variantFor } from "../../models/packages/variants.ts";
import { keepManifest, knownPackages } from "../../models/store/known-packages.ts";
import { openModelStore } from "../../models/store/model-store.ts";
import { asTyped } from "../base/as-typed.ts";
import { addDetails } from "../base/details.ts";
import { printLine, UsageError } from "../base/output.ts";
import { addLocal } from "./add-local.ts";
import { printUse } from "./installed/model-use.ts";

export function add(command: Command): void {
  const adding = command
    .command("add")
    .description("Add a model of your own: a Piper voice, Kokoro, Whisper, or a package manifest")
    .argument("<path|url>", "the model's file or folder; or a manifest, JSON")
    .option("--license <spdx>", "the licence of the files, such as CC-BY-4.0", licenseId)
    .option("--license-url <url>", "where it can be read (default: the page of spdx.org)")
    .option("--language <tag>", "what it speaks or recognizes, in place of what its files say", languageTag)
    .option("--name <name>", "the name of the package (default: own- and the name of its files)", packageName)
    .option("--sample <file>", "also write what its first voice sounds like, a .wav file")
    .action(async (from, options) => {
      const isUrl = /^https?:\/\//.test(from);
      if (!isUrl && !existsSync(from)) throw new UsageError(`There is no file or folder ${from}.`);
      if (!isUrl && !isManifest(from)) return await addLocal(from, options);
      if (isUrl) await addManifest(parsePackage(from, await (await fetch(from)).text()), null);
      else await addManifest(readPackage(from), dirname(from));
    });
  addDetails(
    adding,
    `Examples:
  loquat models add en_US-joe-medium.onnx
  loquat models add kokoro/ --sample hello.wav
  loquat models add whisper-tiny.en/ --license MIT`,
  );
}

/** A JSON file that lists files of a family. */
function isManifest(path: string): boolean {
  if (!path.endsWith(".json") || path.endsWith(".onnx.json") || !statSync(path).isFile()) return false;
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown> | null;
    return value === null || "family" in value || "files" in value;
  } catch {
    return true; // the package's reader says what is wrong
  }
}

/** `folder`: of the manifest; null where it was downloaded. */
async function addManifest(added: Package, folder: string | null): Promise<void> {
  const { models } = readConfig();
  if (knownPackages(models, openModelStore(models.weights)).has(added.name))
    throw new UsageError(`A package named ${added.name} already exists.`);
  for (const { id, language } of added.voices ?? []) {
    const reason = unreadReason(added.family, language);
    if (reason !== null)
      throw new PackageError(`${added.name}: voice ${id} would not be understood: ${reason}.`);
  }
  keepManifest(models, added);
  printLine(asTyped(`added  ${added.name}. ${nextStep(added, folder)}`));
  printUse(added);
}

/** The command that installs it: of files that lie beside the manifest, or have addresses, or that the operator has. */
function nextStep({ name, license, ...pkg }: Package, folder: string | null): string {
  const isBeside = folder !== null && firstFiles(pkg).every(({ path }) => existsSync(join(folder, path)));
  const isPublished = pkg.sources.length > 0 || firstFiles(pkg).every(({ url }) => url !== undefined);
  const command =
    isPublished && !isBeside
      ? `loquat models pull ${name}`
      : `loquat models import ${isBeside ? asArgument(folder) : "DIR"} --as ${name}`;
  if (!license.acceptance) return `Install with: ${command}`;
  return `Its licence restricts use: ${license.url}. If you agree, install with: ${command} --accept-license`;
}

const firstFiles = ({ files, variants }: Pick<Package, "files" | "variants">) =>
  filesOf({ files }, variantFor({ variants }, "cpu"));

/** As a shell takes it. */
const asArgument = (text: string): string =>
  /^[A-Za-z0-9._/@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

function licenseId(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9.+-]*( (AND|OR|WITH) [A-Za-z0-9][A-Za-z0-9.+-]*)*$/.test(text))
    throw new InvalidArgumentError(
      "Expected an SPDX identifier, such as MIT, CC0-1.0 or LicenseRef-of-mine.",
    );
  return text;
}

function languageTag(text: string): string {
  if (!isLanguageTag(text))
    throw new InvalidArgumentError("Expected a language, such as en, en-GB or pt-BR.");
  return text;
}

function packageName(text: string): string {
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(text))
    throw new InvalidArgumentError('Expected small letters, digits, ".", "_" and "-".');
  return text;
}

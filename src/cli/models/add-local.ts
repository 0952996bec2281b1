/**
 * `loquat models add PATH` of a model's files: says what they are, asks what they do not say, tries them, installs them, and
 * says how to hear them.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { toInt16, wavHeader } from "../../audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import { systemClock } from "../../clock.ts";
import { readConfig } from "../../config/config.ts";
import { isLanguageTag } from "../../language-tag.ts";
import { packageAt } from "../../models/local/catalogue-match.ts";
import { installLocal } from "../../models/local/install-local.ts";
import { licenseBeside } from "../../models/local/local-license.ts";
import { idOf, type LocalModel } from "../../models/local/local-model.ts";
import { localPackage, readableVoices } from "../../models/local/local-package.ts";
import { modelAt } from "../../models/local/look.ts";
import { type Package, readPackages } from "../../models/packages/package.ts";
import { sizeOf, sizeText } from "../../models/packages/size.ts";
import { importFolder } from "../../models/store/bundle.ts";
import type { Trial } from "../../server/engines/trial.ts";
import { asTyped } from "../base/as-typed.ts";
import { ask, type Question } from "../base/ask.ts";
import { note, printFinding, printLine, UsageError } from "../base/output.ts";
import { modelsUsing, printUse } from "./installed/model-use.ts";
import { openCatalogue } from "./installed/packages.ts";
import { openTrying } from "./installed/trying.ts";

export type AddOptions = {
  license?: string | undefined;
  licenseUrl?: string | undefined;
  language?: string | undefined;
  name?: string | undefined;
  sample?: string | undefined;
};

export async function addLocal(path: string, options: AddOptions): Promise<void> {
  const { folder, weights } = readConfig().models;
  if (options.name === undefined && (await addPublished(path, options))) return;
  const model = modelAt(path);
  note(`${path}: ${model.kind}, ${model.stem}`);
  const { name = `own-${idOf(model.stem)}` } = options;
  if (readPackages(folder).has(name))
    throw new UsageError(`${name} is a package of the catalogue: choose another --name.`);
  const { license, locale } = await factsOf(path, model, options);
  const { voices, remarks } = readableVoices(model, locale);
  const version = new Date(systemClock.now()).toISOString().slice(0, 10);
  const answers = { name, version, license, locale };
  const pkg = localPackage(model, answers, { voices, taken: await voiceNames(folder) });
  refuseUnused({ ...pkg, files: [] });
  const trying = openTrying();
  const installed = await installLocal(pkg, model.files, { weights, tryOut: trying.tryOut });
  for (const remark of [...model.remarks, ...remarks]) note(remark);
  printFinding(`installed  ${installed.name} ${installed.version}, ${sizeText(sizeOf(installed.files))}`);
  printUse(installed);
  trying.noteSpeed(installed);
  printSample(installed, trying.trial(), options);
}

/** Files of the catalogue are installed as what they are. */
async function addPublished(path: string, options: AddOptions): Promise<boolean> {
  const { folder, weights } = readConfig().models;
  const found = await packageAt(path, readPackages(folder).values());
  if (found === null) return false;
  const { name, title, license } = found.package;
  note(`${path}: the files of ${name} (${title}), ${license.spdx}`);
  if (license.acceptance)
    throw new UsageError(
      `Its licence restricts use: ${license.url}. Read it; if you agree: loquat models import ${found.root} --as ${name} --accept-license`,
    );
  const trying = openTrying();
  const { tryOut } = trying;
  const installed = await importFolder(found.root, found.package, {
    weights,
    licenseAccepted: false,
    tryOut,
  });
  printFinding(`installed  ${installed.name} ${installed.version}, ${sizeText(sizeOf(installed.files))}`);
  printUse(installed);
  trying.noteSpeed(installed);
  printSample(installed, trying.trial(), options);
  return true;
}

/** Of models and of packages, installed or not. */
async function voiceNames(folder: string): Promise<(id: string) => boolean> {
  const { voices } = await openCatalogue();
  const packaged = [...readPackages(folder).values()].flatMap((pkg) => pkg.voices ?? []);
  const ids = new Set([...voices, ...packaged].map(({ id }) => id));
  return (id) => ids.has(id);
}

/** By the options and the files, or else the answers: its licence, and the language of voices that do not say theirs. */
async function factsOf(path: string, { voices }: LocalModel, options: AddOptions) {
  const stated = options.license === undefined ? licenseBeside(path) : null;
  if (stated) note(`Its ${stated.from} states the licence ${stated.spdx}.`);
  const known = options.license ?? stated?.spdx;
  const unknown = voices.filter(({ locale }) => locale === null).map(({ speaker }) => speaker);
  const hasLanguage = options.language !== undefined || unknown.length === 0;
  const [license, language] = await ask([
    known === undefined ? LICENSE : null,
    hasLanguage ? null : languageOf(unknown),
  ]);
  const spdx = known ?? license!;
  return {
    license: { spdx, url: options.licenseUrl ?? licensePage(spdx) },
    locale: options.language ?? language ?? null,
  };
}

const LICENSE: Question = {
  text: "Its files do not say their licence.",
  option: "--license",
  example: "CC-BY-4.0",
  check: (answer) => (/^[A-Za-z0-9.+-]+$/.test(answer) ? null : "Enter an SPDX identifier."),
};

const languageOf = (speakers: string[]): Question => ({
  text: `Its files do not say which language ${speakers.slice(0, 3).join(", ")} speaks.`,
  option: "--language",
  example: "en-US",
  check: (answer) => (isLanguageTag(answer) ? null : "Enter a language, such as en or pt-BR."),
});

/** Where SPDX explains it. */
const licensePage = (spdx: string): string =>
  /^[A-Za-z0-9.+-]+$/.test(spdx) && !spdx.startsWith("LicenseRef-")
    ? `https://spdx.org/licenses/${spdx}.html`
    : "https://spdx.org/licenses/";

function refuseUnused(pkg: Package): void {
  if (modelsUsing(pkg)?.length === 0)
    throw new UsageError(
      `No model would use it: no manifest in LOQUAT_MODELS has the family ${pkg.family}. Add it to "families" of one.`,
    );
}

/** What the first voice sounded like when it was tried, and the command to hear it. */
function printSample({ voices = [] }: Package, trial: Trial | null, { sample: file }: AddOptions): void {
  const [voice] = voices;
  if (!voice) return;
  const samples = trial?.samples ?? null;
  if (file !== undefined && samples !== null) {
    const pcm = toInt16(samples);
    writeFileSync(file, wavHeader(pcm.length, TTS_SAMPLE_RATE));
    appendFileSync(file, new Uint8Array(pcm.buffer));
    printLine(`sample     ${file}`);
  }
  const text = voice.language === "en" ? "Good morning." : "1, 2, 3.";
  printLine(asTyped(`hear it    loquat speak "${text}" --voice ${voice.id} -o sample.wav`));
}

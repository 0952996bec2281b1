/** Which models speak or recognize with a package, as `add` and `import` say it. */
import { readConfig } from "../../../config/config.ts";
import { familyOf } from "../../../engine/families/families.ts";
import { readManifests } from "../../../models/manifest.ts";
import { modelsWith } from "../../../models/offers.ts";
import type { Package } from "../../../models/packages/package.ts";
import { knownPackages } from "../../../models/store/known-packages.ts";
import { openModelStore } from "../../../models/store/model-store.ts";
import { printLine } from "../../base/output.ts";

const VOICES_MAX = 12;

/** Null: it is a part of other engines. */
export function modelsUsing(pkg: Package): string[] | null {
  const { task } = familyOf(pkg.family);
  if (task !== "synthesis" && task !== "recognition" && task !== "streaming-recognition") return null;
  const { models } = readConfig();
  const known = knownPackages(models, openModelStore(models.weights));
  return modelsWith(readManifests(models.folder, [...known.keys(), pkg.name]), pkg);
}

export function printUse(pkg: Package): void {
  const models = modelsUsing(pkg);
  if (models === null) return;
  const named = models.join(" and ");
  if (models.length === 0)
    printLine(`unused     no model takes it: name the family ${pkg.family}, or the package, in a manifest`);
  else if (pkg.voices) printLine(`voices     ${named}: ${voicesText(pkg.voices)}`);
  else if (pkg.recognition) printLine(`languages  ${named}: ${languagesText(pkg.recognition)}`);
  else printLine(`used by    ${named}`);
}

const voicesText = (voices: NonNullable<Package["voices"]>): string =>
  cut(voices.map(({ id, locale }) => `${id} (${locale})`));

const languagesText = (recognition: NonNullable<Package["recognition"]>): string =>
  cut([...new Set(recognition.flatMap(({ languages }) => languages))]);

const cut = (texts: string[]): string =>
  texts.length <= VOICES_MAX
    ? texts.join(", ")
    : `${texts.slice(0, VOICES_MAX).join(", ")} and ${texts.length - VOICES_MAX} more`;

/** Tries a package before it is installed: its files against what is published of them, and one run of its engine. */
import type { Config } from "../../config/config.ts";
import { alphabetOf, missingProgram } from "../../engine/families/families.ts";
import { readPackages } from "../../models/packages/package.ts";
import { differencesOf } from "../../models/signature/compare.ts";
import type { TryOut } from "../../models/store/installed-variants.ts";
import type { Installed } from "../../models/store/model-store.ts";
import { ModelStoreError } from "../../models/store/store-error.ts";
import { measuredOn } from "./devices-by-speed.ts";
import { keepTrial } from "./speeds.ts";
import { runTrial, type Trial } from "./trial.ts";

/** `notice`: a line for the operator. `ended`: what came of it; null where nothing here can run the package yet. */
type Reporting = { notice?: (line: string) => void; ended?: (trial: Trial | null) => void };

/** Once the package is installed its speed is kept. */
export const tryOutOn =
  (config: Config, { notice = () => {}, ended = () => {} }: Reporting = {}): TryOut =>
  async (staged) => {
    const [first, ...others] = measuredOn(config) as [Config, ...Config[]];
    const trial = await tried(staged, first, notice);
    ended(trial);
    const measured = trial ? [{ on: first, trial }] : [];
    for (const on of others) {
      const another = await runTrial(staged, on).catch(() => null); // it runs on the first
      if (another) measured.push({ on, trial: another });
    }
    return () => {
      for (const { on, trial } of measured) keepTrial(on, staged.package, trial);
    };
  };

async function tried(
  staged: Installed,
  config: Config,
  notice: (line: string) => void,
): Promise<Trial | null> {
  const { name, family } = staged.package;
  const catalogue = config.models.folder;
  const isPublished = readPackages(catalogue).has(name);
  const differences = differencesOf(staged, { catalogue, isPublished });
  if (differences.length > 0)
    throw refusal(name, differences.map(({ path, message }) => `${path}: ${message}`).join("; "));
  if (alphabetOf(family) !== null && missingProgram("espeak-ng") !== null) {
    notice(`${name} was not tried: it needs eSpeak NG, which is not installed.`);
    return null;
  }
  const trial = await runTrial(staged, config).catch((cause: Error) => {
    throw refusal(name, cause.message, cause);
  });
  if (trial?.fault != null) throw refusal(name, trial.fault);
  return trial;
}

const refusal = (name: string, why: string, cause?: Error) =>
  new ModelStoreError(`${name} cannot run: ${why.replace(/\.$/, "")}. Nothing was changed.`, { cause });

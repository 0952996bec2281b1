/**
 * The definitions in force: those of the catalogue's folder, and the operator's own, which take precedence. One that cannot
 * be used any more, because its preset is gone, is left out and reported.
 */
import { invalidInput } from "../errors.ts";
import type { Manifest } from "../models/manifest.ts";
import type { Elsewhere } from "../models/store/installed-catalogue.ts";
import {
  checkDefinition,
  type Definition,
  engineModels,
  engineName,
  type LanguageModelEntry,
  languageModels,
  type Presets,
  readDefinitions,
  readPresets,
  type UpstreamModel,
  type UsableDefinition,
} from "./definition.ts";
import { manifestsOf } from "./manifests.ts";

export type UpstreamEngineOf = UsableDefinition & { entry: UpstreamModel };

type LanguageModelOf = UsableDefinition & { entry: LanguageModelEntry };

/** The name of the definition that the environment makes. */
export const ENVIRONMENT = "language-model";

export type UpstreamSet = Elsewhere & {
  list(): readonly (UsableDefinition & { source: "folder" | "own" })[];
  find(engine: string): UpstreamEngineOf | null;
  /** In the order of the definitions' names, but first what the environment names. */
  languageModels(): readonly LanguageModelOf[];
  presets: Presets;
  /** Throws a refusal that names what is wrong, also a language model that another upstream has. */
  check(value: unknown): Definition;
  /** Puts in force what the environment names. Returns the faults of others that it hides. */
  addFromEnvironment(definition: Definition): string[];
  /** Puts these in force, in place of the operator's own. Returns the faults of those that cannot be used, or not wholly. */
  use(stored: readonly unknown[]): string[];
};

/** Throws a `ManifestError` for a mistake in the folder. */
export function openUpstreamSet(folder: string): UpstreamSet {
  const presets = readPresets(folder);
  const shipped = readDefinitions(folder, presets).map((each) => ({ ...each, source: "folder" as const }));
  let all: (UsableDefinition & { source: "folder" | "own" })[] = shipped;
  let engines = byEngine(all);
  let own: typeof all = [];
  const combine = () => {
    const names = new Set(own.map(({ definition }) => definition.name));
    all = [...shipped.filter(({ definition }) => !names.has(definition.name)), ...own];
    engines = byEngine(all);
  };
  return {
    presets,
    list: () => all,
    find: (engine) => engines.get(engine) ?? null,
    languageModels: () => languageModelsOf(all),
    has: (engine) => engines.has(engine),
    manifests: (manifests: readonly Manifest[]) => manifestsOf(all, manifests),
    addFromEnvironment(definition) {
      shipped.unshift({ ...checkDefinition(definition, presets), source: "folder" });
      combine();
      return hiddenModels(all);
    },
    check(value) {
      const { definition } = checkDefinition(value, presets);
      checkLanguageModels(definition, languageModelsOf(all));
      return definition;
    },
    use(stored) {
      const faults: string[] = [];
      own = stored.flatMap((value) => {
        try {
          return [{ ...checkDefinition(value, presets), source: "own" as const }];
        } catch (error) {
          faults.push((error as Error).message);
          return [];
        }
      });
      combine();
      return [...faults, ...hiddenModels(all)];
    },
  };
}

const orderOf = ({ definition: { name } }: UsableDefinition): string => (name === ENVIRONMENT ? "" : name);

const languageModelsOf = (all: readonly UsableDefinition[]): LanguageModelOf[] =>
  all
    .toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    .flatMap((each) => languageModels(each.definition).map((entry) => ({ ...each, entry })));

/** Conversations name models by their ids alone, so that the second of an id would never be asked. */
function checkLanguageModels({ name, models }: Definition, others: readonly LanguageModelOf[]): void {
  for (const [index, { model, type }] of models.entries()) {
    const other = others.find(({ definition, entry }) => entry.model === model && definition.name !== name);
    if (type === "llm" && other)
      throw invalidInput([
        {
          field: `models.${index}.model`,
          code: "malformed",
          message: `is ${model}, which the upstream ${other.definition.name} has: give it another id, or give both servers to one upstream`,
        },
      ]);
  }
}

/** One for each language model that is not asked because another upstream has its id. */
function hiddenModels(all: readonly UsableDefinition[]): string[] {
  const models = languageModelsOf(all);
  return models.flatMap(({ definition, entry: { model } }) => {
    const first = models.find(({ entry }) => entry.model === model)!.definition.name;
    if (first === definition.name) return [];
    return [
      `${definition.name}: its language model ${model} is not asked, because ${first} has one of this id.`,
    ];
  });
}

const byEngine = (all: readonly UsableDefinition[]): Map<string, UpstreamEngineOf> =>
  new Map(
    all.flatMap((each) =>
      engineModels(each.definition).map(
        (entry) => [engineName(each.definition, entry), { ...each, entry }] as const,
      ),
    ),
  );

/** Refuses a model id that the catalogue has for something else. */
export function checkModels(
  { models }: Definition,
  shipped: readonly Pick<Manifest, "model" | "type">[],
): void {
  for (const [index, { model, type }] of models.entries()) {
    const known = shipped.find((manifest) => manifest.model === model);
    if (known && known.type !== type)
      throw invalidInput([
        {
          field: `models.${index}.model`,
          code: "malformed",
          message: `is ${model}, which does something else here`,
        },
      ]);
  }
}

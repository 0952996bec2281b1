/**
 * The upstreams: the definitions in force, and what was opened by them with its first task, and is opened again when its
 * definition changes.
 *
 *   definitions   those of the catalogue's folder, and the operator's own, which take precedence. One that cannot be used any
 *                 more, because its preset is gone, is left out and reported
 */

import { readCredential } from "../config/config.ts";
import type { LanguageModel } from "../engine/protocol/chat.ts";
import { isOf } from "../engine/protocol/task.ts";
import type { EngineRegistry, EngineSpec } from "../engine/registry.ts";
import type { Runner } from "../engine/runner.ts";
import { openTurns, type Turns } from "../engine/scheduler.ts";
import { invalidInput } from "../errors.ts";
import type { Manifest } from "../models/manifest.ts";
import type { Elsewhere } from "../models/store/installed-catalogue.ts";
import { fitted } from "../speech/fit-task.ts";
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
import type { SpeechFlags } from "./dialects/preset.ts";
import type { LiveTurn, TurnOptions } from "./live/live-turn.ts";
import { manifestsOf } from "./manifests.ts";
import type { FailureKind } from "./transport/failure.ts";
import { openUpstream, type ServerStatus, type Upstream } from "./upstream.ts";
import type { Fallback } from "./upstream-runner.ts";

export type UpstreamFailed = (
  upstream: string,
  failure: { kind: FailureKind; server: string; message: string },
) => void;

export type LiveUpstreams = AsyncDisposable & {
  /** Null: no upstream has such an engine. */
  spec(engine: string): EngineSpec | null;
  /** What listens to live speech for an engine; null where files do. */
  listener(engine: string): Listener | null;
  /** By the id that conversations name; null: the first. Null where there is none. */
  languageModel(name: string | null): LanguageModel | null;
  /** The servers of an upstream; none while it was not used. */
  servers(name: string): ServerStatus[];
  /** Stops what is no longer in force. */
  refresh(): void;
};

/** The models of an upstream share the places of its servers. */
type Opened = { upstream: Upstream; turns: Turns; languageModels: Map<string, LanguageModel> };

type Listener = (turn: TurnOptions) => LiveTurn;

const KEY = "upstream ";
const LIVE_SHARE = 0.25; // of the places for transcription, for live speech only: a file may take minutes

export function openLiveUpstreams(set: UpstreamSet, failed: UpstreamFailed = () => {}): LiveUpstreams {
  const opened = new Map<string, Opened>();
  const open = (usable: UsableDefinition): Opened => {
    const key = keyOf(usable);
    const known = opened.get(key);
    if (known) return known;
    const { definition, preset } = usable;
    const upstream = openUpstream({
      preset,
      urls: definition.urls,
      credential: () => readCredential(definition.credential),
      failed: (failure) => failed(definition.name, failure),
    });
    const turns = openTurns({ size: preset.max_in_flight, sizeNow: upstream.places });
    const languageModels = new Map<string, LanguageModel>();
    opened.set(key, { upstream, turns, languageModels });
    return { upstream, turns, languageModels };
  };
  const isInForce = (key: string) => set.list().some((usable) => key.startsWith(keyOf(usable)));
  return {
    spec(engine) {
      const found = set.find(engine);
      return found && { ...specOf(found, () => open(found)), isReplaced: () => !isInForce(keyOf(found)) };
    },
    listener(engine) {
      const found = set.find(engine);
      if (found?.entry.type !== "stt" || !found.entry.realtime) return null;
      const { upstream } = open(found);
      return (turn) => upstream.listen(found.entry.upstream_model, turn);
    },
    languageModel(name) {
      const found = set.languageModels().find(({ entry }) => name === null || entry.model === name);
      if (!found) return null;
      const { upstream, languageModels } = open(found);
      const model = languageModels.get(found.entry.model) ?? upstream.languageModel(found.entry);
      languageModels.set(found.entry.model, model);
      return model;
    },
    servers: (name) =>
      set
        .list()
        .filter(({ definition }) => definition.name === name)
        .flatMap((usable) => opened.get(keyOf(usable))?.upstream.servers() ?? []),
    refresh() {
      for (const [key, { upstream }] of opened) {
        if (isInForce(key)) continue;
        opened.delete(key);
        upstream.retire();
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...opened.values()].map(({ upstream }) => upstream[Symbol.asyncDispose]()));
    },
  };
}

/** Another definition under the same name is another upstream. */
const keyOf = ({ definition, preset }: UsableDefinition) =>
  `${KEY}${definition.name} ${Bun.hash(JSON.stringify([definition, preset])).toString(36)} `;

function specOf({ entry, ...usable }: UpstreamEngineOf, open: () => Opened): EngineSpec {
  const { max_in_flight } = usable.preset;
  const { upstream, turns } = open();
  return {
    key: `${keyOf(usable)}${entry.model}`,
    idleMs: null,
    turns,
    options: {
      size: max_in_flight,
      sizeNow: upstream.places,
      reserved: entry.type === "stt" ? Math.floor(max_in_flight * LIVE_SHARE) : 0,
    },
    start: (_options, registry) => {
      const runner = upstream.runner(entry.upstream_model, fallbackOf(entry, registry));
      const name = `The server ${usable.definition.name}`;
      return entry.type === "tts" ? withSpeechFlags(runner, usable.preset.speech, name) : runner;
    },
  };
}

/** Given only the tasks that the server can do, as it reads them. */
const withSpeechFlags = (runner: Runner, flags: SpeechFlags | null, name: string): Runner =>
  fitted(runner, {
    name,
    does: [
      ...(flags?.timed_path === undefined ? [] : ["word_times" as const]),
      ...(flags?.tags ? ["expression_tags" as const] : []),
    ],
    phonemes: null,
  });

function fallbackOf(entry: UpstreamModel, registry: Pick<EngineRegistry, "engine">): Fallback | null {
  const { fallback } = entry;
  if (fallback === undefined) return null;
  if (entry.type === "stt") return (task, claim) => registry.engine(fallback).run(task, claim);
  const speakers = new Map(
    entry.voices.map(({ speaker, fallback_speaker = speaker }) => [speaker, fallback_speaker]),
  );
  return (task, claim) => {
    const spoken = isOf(task, "synthesis")
      ? { ...task, speaker: speakers.get(task.speaker) ?? task.speaker }
      : task;
    return registry.engine(fallback).run<typeof task>(spoken, claim);
  };
}

type UpstreamEngineOf = UsableDefinition & { entry: UpstreamModel };

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

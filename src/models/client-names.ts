/**
 * The names of a catalogue beside its own ids: aliases in force, and the display names of voices. Pure; built once per
 * state of both, so that a look-up is one or two reads of a map.
 */
import { type Alias, aliasName } from "./aliases.ts";
import type { Voice } from "./manifest.ts";

type Model = { id: string; manifest: { status: string } };

/** `targets`: ids of models, best first. */
type NamedModel = {
  name: string;
  targets: [string, ...string[]];
  format: string | null;
  isListed: boolean;
};

export type Names = {
  model(name: string): NamedModel | null;
  /** Whether other APIs name a model so, also where a model of an upstream has it as its id. */
  isForeign(name: string): boolean;
  /** The model of a name that is valid in realtime transcription sessions only. */
  session(name: string): string | null;
  /** The voice of a model that an alias or a display name stands for. */
  voice(name: string, voices: readonly Voice[]): Voice | null;
  /** Every name under which one of these voices can be asked for beside its id, but for those that are not listed. */
  voiceNames(of: readonly Voice[]): string[];
  /** For lists: without the empty name, and those that are not listed. */
  readonly models: readonly NamedModel[];
  /** Whether speech under an alias may be AAC. */
  readonly aac: boolean;
};

/** Of a catalogue that accepts its own ids only. */
export const NO_NAMES: Names = {
  model: () => null,
  isForeign: () => false,
  session: () => null,
  voice: () => null,
  voiceNames: () => [],
  models: [],
  aac: false,
};

type NamesOptions = { find: (name: string) => Model | null; aac: boolean };

/** An alias is in force where the catalogue has what it stands for, and does not use its name. */
export function openNames(aliases: readonly Alias[], { find, aac }: NamesOptions): Names {
  const models = new Map<string, NamedModel>();
  const sessions = new Map<string, NamedModel>();
  const voices = new Map<string, Alias>();
  const foreign = new Set<string>();
  for (const alias of aliases) {
    const { kind, name, targets, format, listed } = alias;
    if (kind === "model" && targets.length > 0) foreign.add(name);
    if (kind === "voice") voices.set(name, alias);
    else if (find(name) === null) {
      const [first, ...others] = targets.flatMap((target) => idOf(find(target)));
      const named = kind === "model" ? models : sessions;
      if (first !== undefined)
        named.set(name, { name, targets: [first, ...others], format, isListed: listed !== false });
    }
  }
  return {
    model: (name) => models.get(aliasName(name)) ?? null,
    isForeign: (name) => foreign.has(aliasName(name)),
    session: (name) => sessions.get(aliasName(name))?.targets[0] ?? null,
    voice(name, from) {
      const asked = aliasName(name);
      const alias = voices.get(asked);
      const meant = alias ? targetIn(from, alias) : null;
      const called = from.find(({ id }) => id === asked) ?? voiceNamed(asked, from);
      return alias?.listed === false ? (called ?? meant) : (meant ?? called);
    },
    voiceNames(of) {
      const listed = [...voices.values()].filter((alias) => alias.listed !== false && targetIn(of, alias));
      return [...listed, ...of].map(({ name }) => name);
    },
    models: [...models.values()].filter(({ name, isListed }) => isListed && name !== ""),
    aac,
  };
}

function targetIn(voices: readonly Voice[], { targets }: Alias): Voice | null {
  for (const target of targets) {
    const voice = voices.find(({ id, speaker }) => id === target || speaker === target);
    if (voice) return voice;
  }
  return null;
}

const idOf = (model: Model | null): string[] =>
  model === null || model.manifest.status === "retired" ? [] : [model.id];

/** By its display name; case makes no difference. */
export function voiceNamed(name: string, voices: readonly Voice[]): Voice | null {
  const asked = aliasName(name);
  return voices.find((voice) => voice.name.toLowerCase() === asked) ?? null;
}

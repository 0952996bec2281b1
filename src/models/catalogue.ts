/**
 * The catalogue: models and voices as clients see them, and the version of a model that a call resolves to today.
 *
 *   manifests, what packages offer ──group by model──> entries ──best installed──> version ──> public objects
 *
 * A version is installed if engines that it names can run on this machine. If some of them cannot, the voices that need
 * them come from the next best version, so that no voice disappears when a better version is installed.
 */
import { abilitiesOf, type RecognitionAbility } from "../engine/families/families.ts";
import type { Permits } from "../restrictions.ts";
import type { Alias } from "./aliases.ts";
import { type Names, NO_NAMES, openNames } from "./client-names.ts";
import {
  languagesSpoken,
  type Manifest,
  type SttManifest,
  type TtsManifest,
  usesOf,
  type Voice,
} from "./manifest.ts";
import { withOffers } from "./offers.ts";
import { abilitiesOfPackage, type Package } from "./packages/package.ts";
import type { HeldPrices, Price } from "./prices.ts";

/** A catalogue entry; `version` is null if none is installed, and `manifest` describes the model in any case. */
export type Entry<M extends Manifest = Manifest> = {
  id: string;
  manifest: M;
  version: M | null;
  /** The price that holds next, where a change is planned. */
  nextPrice?: Price;
};

/** The engines that a version names; none where no version is installed. */
export function enginesOf(version: Entry["version"]): string[] {
  if (version === null) return [];
  return (version.type === "tts" ? version.voices : version.recognition.engines).map(({ engine }) => engine);
}

type Installed = (engine: string) => boolean;

export type Catalogue = {
  /** Every model that is not retired. */
  readonly entries: Entry[];
  /** The entry behind a model id or an operator's alias; retired ones too. */
  find(idOrAlias: string): Entry | null;
  /** Voices whose engine is installed, each once however many models it is bound to. */
  readonly voices: BoundVoice[];
  /** The package to install for recognition of a language, the one for smaller machines first; null if none is left. */
  packageFor(needs: RecognitionNeeds): string | null;
  /** The package to install for voices that are made of recordings; null if none is left. */
  readonly cloningPackage: string | null;
  /** The engine that tells speakers apart; null where none is installed. */
  readonly diarizer: string | null;
  /** What else a request may name its models and voices. */
  readonly names: Names;
  /** What of it a caller may use; absent: all. Its lists have no more then, and `find` has all, for a refusal to say so. */
  readonly permits?: Permits;
};

/** What a caller may ask of a recognizer that not every one can do. */
export type AskedAbility = Exclude<RecognitionAbility, "prompt">;

/** `language`: a primary subtag, or null for any. `does`: what else it can. */
export type RecognitionNeeds = {
  language: string | null;
  translates: boolean;
  does?: AskedAbility;
};

export type BoundVoice = Voice & { models: string[] };

/** `packages`: those whose own voices and languages models may add; installed or not. */
export function buildCatalogue(
  manifests: Manifest[],
  installed: Installed,
  packages: readonly Package[] = [],
): Catalogue {
  const whole = manifests.map((manifest) => withOffers(manifest, packages));
  const all = [...Map.groupBy(whole, (manifest) => manifest.model)].map(([id, versions]) =>
    resolve(id, versions, installed),
  );
  const byName = new Map<string, Entry>();
  for (const { model, aliases } of whole)
    for (const alias of aliases) byName.set(alias, all.find(({ id }) => id === model)!);
  for (const entry of all) byName.set(entry.id, entry);
  const entries = all.filter((entry) => entry.manifest.status !== "retired");
  const missing = packages.filter(({ name }) => !installed(name)).toSorted(bySuitability);
  return {
    entries,
    find: (name) => byName.get(name) ?? null,
    voices: bindVoices(entries),
    cloningPackage: missing.find(({ family }) => abilitiesOf(family).includes("cloning"))?.name ?? null,
    diarizer: null,
    packageFor: (needs) => missing.find((candidate) => recognizes(candidate, needs))?.name ?? null,
    names: NO_NAMES,
  };
}

/** The same catalogue, which also accepts aliases and the display names of voices; with `aac`, AAC under aliases. */
export function withNames(catalogue: Catalogue, aliases: readonly Alias[], aac = false): Catalogue {
  const names = openNames(aliases, { find: catalogue.find, aac });
  const { entries, voices, packageFor, cloningPackage, diarizer } = catalogue;
  const find = (name: string) => catalogue.find(name) ?? catalogue.find(names.model(name)?.targets[0] ?? "");
  return { entries, voices, packageFor, cloningPackage, diarizer, names, find };
}

/** The same catalogue, with the prices that hold in place of the manifests'. */
export function withPrices(catalogue: Catalogue, { of }: HeldPrices): Catalogue {
  if (of.size === 0) return catalogue;
  const priced = new Map(catalogue.entries.map((entry) => [entry, pricedEntry(entry, of)]));
  const entries = [...priced.values()];
  return {
    ...catalogue,
    entries,
    find(name) {
      const entry = catalogue.find(name);
      return entry && (priced.get(entry) ?? entry);
    },
  };
}

function pricedEntry<M extends Manifest>(entry: Entry<M>, prices: HeldPrices["of"]): Entry<M> {
  const { current = null, next = null } = prices.get(entry.id) ?? {};
  if (current === null) return next ? { ...entry, nextPrice: next } : entry;
  const own = {
    price_micros: current.micros,
    background_price_micros: current.backgroundMicros ?? current.micros,
  };
  const { manifest, version } = entry;
  return {
    ...entry,
    ...{ manifest: { ...manifest, ...own }, version: version && { ...version, ...own } },
    ...(next && { nextPrice: next }),
  };
}

const recognizes = (pkg: Package, { language, translates, does }: RecognitionNeeds): boolean =>
  (does === undefined || abilitiesOfPackage(pkg).includes(does)) &&
  (pkg.recognition ?? []).some(
    (one) =>
      one.uses.includes("batch") &&
      (language === null || one.languages.includes(language)) &&
      (!translates || one.translates === true),
  );

/** Recommended ones first: those that need least, then the best of them. */
function bySuitability({ recommended: a }: Package, { recommended: b }: Package): number {
  if (!a || !b) return Number(!a) - Number(!b);
  return Number(a.gpu) - Number(b.gpu) || a.cores - b.cores || b.rank - a.rank;
}

/** The first voice that an engine speaks with now, and its model; null where there is none. */
export function voiceOf({ entries }: Pick<Catalogue, "entries">, engine: string) {
  for (const { id: model, version } of entries) {
    const voice = version?.type === "tts" && version.voices.find((each) => each.engine === engine);
    if (voice) return { model, voice: voice.id, language: voice.language };
  }
  return null;
}

export const isTts = (entry: Entry): entry is Entry<TtsManifest> => entry.manifest.type === "tts";
export const isStt = (entry: Entry): entry is Entry<SttManifest> => entry.manifest.type === "stt";

function resolve(id: string, versions: Manifest[], installed: Installed): Entry {
  const best = versions.toSorted((a, b) => b.rank - a.rank || b.version.localeCompare(a.version));
  const runnable = best.flatMap((manifest) => keepInstalled(manifest, installed) ?? []);
  const [first] = runnable;
  if (first?.type === "tts") return synthesisEntry(id, runnable as TtsManifest[]);
  const version = recognitionVersion(runnable as SttManifest[]);
  return { id, manifest: version ?? best[0]!, version };
}

/** The part of a manifest that can run here, or null. Of voices with one id, the first whose engine is installed counts. */
function keepInstalled(manifest: Manifest, installed: Installed): Manifest | null {
  if (manifest.type === "tts") {
    const runnable = manifest.voices.filter((voice) => installed(voice.engine));
    const voices = [...Map.groupBy(runnable, ({ id }) => id).values()].map(([first]) => first!);
    return voices.length > 0 ? { ...manifest, voices } : null;
  }
  const engines = manifest.recognition.engines.filter(({ engine }) => installed(engine));
  return engines.length > 0 ? { ...manifest, recognition: { ...manifest.recognition, engines } } : null;
}

/**
 * The best version that supports files, which an STT model must; null where none does. What better ones have for live
 * audio alone goes before its engines.
 */
function recognitionVersion(versions: SttManifest[]): SttManifest | null {
  const at = versions.findIndex((version) => usesOf(version).includes("batch"));
  const found = versions[at];
  if (!found) return null;
  const engines = versions.slice(0, at + 1).flatMap((version) => version.recognition.engines);
  return { ...found, recognition: { ...found.recognition, engines } };
}

/** The best version, with each voice from the best one that has it, under its aliases in all of them. */
function synthesisEntry(id: string, versions: TtsManifest[]): Entry<TtsManifest> {
  const best = versions[0]!;
  const voices = new Map<string, Voice>();
  for (const voice of versions.flatMap((version) => version.voices)) {
    const better = voices.get(voice.id) ?? voice;
    voices.set(voice.id, { ...better, aliases: [...new Set([...better.aliases, ...voice.aliases])] });
  }
  const version = { ...best, voices: [...voices.values()] };
  return { id, manifest: version, version };
}

function bindVoices(entries: Entry[]): BoundVoice[] {
  const bound = new Map<string, BoundVoice>();
  for (const entry of entries) {
    if (entry.version?.type !== "tts") continue;
    for (const voice of entry.version.voices) {
      const known = bound.get(voice.id);
      const languages = languagesSpoken(voice);
      if (known) {
        known.models.push(entry.id);
        known.languages = [...new Set([...languagesSpoken(known), ...languages])];
      } else bound.set(voice.id, { ...voice, languages, models: [entry.id] });
    }
  }
  return [...bound.values()];
}

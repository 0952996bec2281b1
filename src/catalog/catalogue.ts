/**
 * The catalogue: models and voices as clients see them, and the version of a model that a call resolves to today.
 *
 *   manifests ──group by model──> entries ──best installed──> version ──> public objects
 *
 * Installed means that the engine families a version names can run on this machine.
 */
import type { Family, HearingManifest, Manifest, SpeechManifest, Voice } from "./manifest.ts";

/** A catalogue entry; `version` is null where nothing of it is installed, `shown` is what describes it then. */
export type Entry<M extends Manifest = Manifest> = { id: string; shown: M; version: M | null };

export type Catalogue = {
  /** Every model that is not retired. */
  readonly entries: Entry[];
  /** The entry behind a model id or an operator's alias; retired ones too. */
  find(idOrAlias: string): Entry | null;
  /** Voices whose engine is installed, each once however many models it is bound to. */
  readonly voices: BoundVoice[];
};

export type BoundVoice = Voice & { models: string[] };

export function buildCatalogue(manifests: Manifest[], installed: (family: Family) => boolean): Catalogue {
  const all = [...Map.groupBy(manifests, (manifest) => manifest.model)].map(([id, versions]) =>
    resolve(id, versions, installed),
  );
  const byName = new Map<string, Entry>();
  for (const entry of all) for (const alias of entry.shown.aliases) byName.set(alias, entry);
  for (const entry of all) byName.set(entry.id, entry);
  const entries = all.filter((entry) => entry.shown.status !== "retired");
  return { entries, find: (name) => byName.get(name) ?? null, voices: bindVoices(entries) };
}

export const isSpeech = (entry: Entry): entry is Entry<SpeechManifest> => entry.shown.type === "tts";
export const isHearing = (entry: Entry): entry is Entry<HearingManifest> => entry.shown.type === "stt";

function resolve(id: string, versions: Manifest[], installed: (family: Family) => boolean): Entry {
  const best = versions.toSorted((a, b) => b.rank - a.rank || b.version.localeCompare(a.version));
  const runnable = best
    .map((manifest) => keepInstalled(manifest, installed))
    .find((manifest) => manifest !== null);
  return { id, shown: runnable ?? best[0]!, version: runnable ?? null };
}

/** The manifest with the voices that can speak here, or null when none of it can run. */
function keepInstalled(manifest: Manifest, installed: (family: Family) => boolean): Manifest | null {
  if (manifest.type === "stt") return installed(manifest.hearing.engine) ? manifest : null;
  const voices = manifest.voices.filter((voice) => installed(voice.engine));
  return voices.length > 0 ? { ...manifest, voices } : null;
}

function bindVoices(entries: Entry[]): BoundVoice[] {
  const bound = new Map<string, BoundVoice>();
  for (const entry of entries) {
    if (entry.version?.type !== "tts") continue;
    for (const voice of entry.version.voices) {
      const known = bound.get(voice.id);
      if (known) known.models.push(entry.id);
      else bound.set(voice.id, { ...voice, models: [entry.id] });
    }
  }
  return [...bound.values()];
}

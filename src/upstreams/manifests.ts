/**
 * What an upstream offers, as versions of models: of models of its own, or of models that the catalogue has already, which
 * keep their names, formats and prices.
 */

import { AUDIO_FORMATS } from "../audio/formats.ts";
import {
  backgroundPriceOf,
  type Manifest,
  type SttManifest,
  type TtsManifest,
  type Voice,
} from "../models/manifest.ts";
import {
  type Definition,
  engineModels,
  engineName,
  type UpstreamModel,
  type UsableDefinition,
} from "./definition.ts";
import type { SpeechFlags, TranscriptionFlags } from "./dialects/preset.ts";
import { shutdownDateOf } from "./shutdown-dates.ts";

const RANK = 1000; // before what is installed here
const OWN_PRICES = { tts: 15_000_000, stt: 100_000_000 }; // those of the models that are shipped

/** `shipped`: the manifests of the catalogue's folder. Of upstreams with the same model, the first by name is preferred. */
export function manifestsOf(
  upstreams: readonly UsableDefinition[],
  shipped: readonly Manifest[],
): Manifest[] {
  const byName = upstreams.toSorted((a, b) => (a.definition.name < b.definition.name ? 1 : -1));
  const made: Manifest[] = [];
  for (const upstream of byName)
    for (const entry of engineModels(upstream.definition)) {
      const manifest = manifestOf(entry, upstream, [...shipped, ...made]);
      if (manifest) made.push(manifest);
    }
  return made;
}

/** Null where the catalogue has a model of this id that does something else. */
function manifestOf(
  entry: UpstreamModel,
  { definition, preset }: UsableDefinition,
  others: readonly Manifest[],
): Manifest | null {
  const known = others
    .filter(({ model }) => model === entry.model)
    .toSorted((a, b) => b.rank - a.rank || b.version.localeCompare(a.version))[0];
  if (known && known.type !== entry.type) return null;
  const ends = shutdownDateOf({ preset }, entry.upstream_model);
  const about = {
    ...aboutOf(entry, { definition, known }),
    shutdown_date: known ? known.shutdown_date : ends,
  };
  if (entry.type === "stt")
    return transcription(entry, about, {
      definition,
      known: known as SttManifest,
      flags: preset.transcription,
    });
  const speech = preset.speech && speechOf(preset.speech, known as TtsManifest | undefined);
  return speech && { ...about, type: "tts", speech, voices: voicesOf(entry, definition, preset.speech) };
}

type Context<M extends Manifest = Manifest> = { definition: Definition; known: M | undefined };

function aboutOf(entry: UpstreamModel, { definition, known }: Context) {
  return {
    model: entry.model,
    version: definition.added,
    rank: Math.max(RANK, (known?.rank ?? 0) + 1),
    name: known?.name ?? entry.model,
    description: known?.description ?? `Served by the upstream ${definition.name}.`,
    owned_by: known?.owned_by ?? definition.name,
    created: known?.created ?? Date.parse(definition.added) / 1000,
    status: "available" as const,
    aliases: [],
    price_micros: entry.price_micros ?? known?.price_micros ?? OWN_PRICES[entry.type],
  };
}

type Speech = TtsManifest["speech"];

/** No more than the server does, and no more than the catalogue promises of the model. */
function speechOf({ speed, instructions_max }: SpeechFlags, known: TtsManifest | undefined): Speech {
  const range = speed ?? { min: 1, max: 1 };
  const instructions = instructions_max !== null;
  if (!known)
    return {
      response_formats: [...AUDIO_FORMATS],
      streamable_formats: ["pcm", "mp3"],
      speed: range,
      instructions,
      length_first: false,
    };
  const { speech } = known;
  return {
    ...speech,
    speed: { min: Math.max(range.min, speech.speed.min), max: Math.min(range.max, speech.speed.max) },
    instructions: instructions && speech.instructions,
  };
}

const voicesOf = (
  entry: UpstreamModel & { type: "tts" },
  definition: Definition,
  flags: SpeechFlags | null,
): Voice[] =>
  entry.voices.map(({ id, speaker, name, languages, locale, gender = "neutral" }) => ({
    id,
    name,
    language: languages[0]!,
    locale: locale ?? languages[0]!,
    gender,
    engine: engineName(definition, entry),
    speaker,
    aliases: [],
    metadata: { style: null, age: null, description: null, use_cases: [] },
    languages,
    ...(flags?.blends ? { blending: true } : {}),
  }));

/** The engines of the same model that are installed here follow, for other languages and as long as it is not defined. */
function transcription(
  entry: UpstreamModel & { type: "stt" },
  about: ReturnType<typeof aboutOf> & Pick<Manifest, "shutdown_date">,
  { definition, known, flags }: Context<SttManifest> & { flags: TranscriptionFlags | null },
): SttManifest {
  const { languages, translates = false } = entry;
  const { prompt = false, lists = false } = flags ?? {};
  const engine = {
    engine: engineName(definition, entry),
    uses: ["batch", "streaming", "realtime"] as const satisfies readonly string[],
    languages,
    hints: prompt,
    among: lists,
    keywords: prompt || lists,
    ...(translates ? { translates } : {}),
  };
  const isPricedHere = entry.price_micros === undefined; // else what is done in the background costs the same
  const local = known?.recognition ?? { engines: [], diarization: true };
  return {
    ...about,
    type: "stt",
    ...(isPricedHere && known && { background_price_micros: backgroundPriceOf(known) }),
    recognition: { ...local, engines: [{ ...engine, uses: [...engine.uses] }, ...local.engines] },
  };
}

/** The model and voice objects of the API, exactly as the specification's sections 2.1 to 2.4 list their fields. */
import { BOOK_FORMAT } from "../audio/formats.ts";
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import { chargedPrice } from "../plans.ts";
import { type BoundVoice, type Entry, isTts } from "./catalogue.ts";
import { formatsUnderAlias } from "./choose.ts";
import type { Names } from "./client-names.ts";
import { languagesOf, languagesSpoken, type Manifest, SPEED, usesOf } from "./manifest.ts";

/** `encodesAac`: whether FFmpeg is here. `pricing`: of one that is sold, to whom it is shown. */
type Shown = { encodesAac?: boolean; pricing?: Pricing | null };

export function modelObject({ id, manifest }: Entry, { encodesAac = false, pricing = null }: Shown = {}) {
  return {
    id,
    object: "model",
    created: manifest.created,
    owned_by: manifest.owned_by,
    name: manifest.name,
    type: manifest.type,
    description: manifest.description,
    capabilities: capabilities(manifest),
    supported_languages: languages(manifest),
    status: manifest.status,
    public_version: manifest.version,
    shutdown_date: manifest.shutdown_date,
    speech_options: manifest.type === "tts" ? speechOptions(manifest, encodesAac) : null,
    ...(pricing && { pricing }),
  };
}

type Pricing = ReturnType<typeof pricingOf>;

/** What an organization with a price factor pays for a million units, and will pay at that factor. */
export const pricingOf = ({ manifest, nextPrice }: Entry, priceFactor: number) => ({
  unit: manifest.type === "tts" ? ("character" as const) : ("second" as const),
  micros_per_million: chargedPrice(manifest.price_micros, priceFactor),
  currency: "usd" as const,
  ...(nextPrice && {
    next: {
      micros_per_million: chargedPrice(nextPrice.micros, priceFactor),
      valid_from: nextPrice.validFrom,
    },
  }),
});

/** An alias, as the model that it stands for; of speech, with what may be had under an alias. */
export function aliasObject(name: string, entry: Entry, names: Names) {
  const { speech_options, ...object } = modelObject(entry);
  const formats = formatsUnderAlias(names);
  const free = {
    ...{ response_formats: formats, streamable_formats: formats, speed: SPEED },
    background_formats: backgroundFormats(formats, names.aac),
  };
  return {
    ...object,
    ...(isTts(entry) ? { capabilities: ["batch", "streaming"] } : {}),
    id: name,
    alias_of: entry.id,
    speech_options: speech_options && { ...speech_options, ...free },
  };
}

export function voiceObject(voice: BoundVoice) {
  return {
    id: voice.id,
    name: voice.name,
    language: voice.language,
    locale: voice.locale,
    gender: voice.gender,
    preview_url: null,
    status: "available",
    metadata: {
      ...voice.metadata,
      languages: languagesSpoken(voice),
      sample_rate: TTS_SAMPLE_RATE,
      models: voice.models,
    },
  };
}

/** A TTS model's capabilities follow from its formats; an STT model declares its own. */
function capabilities(manifest: Manifest): string[] {
  if (manifest.type === "stt") return usesOf(manifest);
  return manifest.speech.streamable_formats.length > 0 ? ["batch", "streaming"] : ["batch"];
}

function languages(manifest: Manifest): string[] {
  if (manifest.type === "stt") return languagesOf(manifest);
  return [...new Set(manifest.voices.flatMap(languagesSpoken))];
}

function speechOptions({ speech }: Manifest & { type: "tts" }, encodesAac: boolean) {
  const { response_formats, streamable_formats, speed, instructions } = speech;
  const background_formats = backgroundFormats(response_formats, encodesAac);
  return { response_formats, streamable_formats, background_formats, speed, instructions };
}

/** Those of jobs: audiobooks too, where FFmpeg encodes AAC. */
const backgroundFormats = (formats: readonly string[], encodesAac: boolean): string[] => [
  ...formats,
  ...(encodesAac ? [BOOK_FORMAT] : []),
];

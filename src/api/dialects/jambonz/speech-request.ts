/**
 * Which voice speaks in which format. jambonz names a voice and a language; what it cannot name is in the address that it is
 * set up with: the model, the format and the sample rate.
 */
import type { ClipFormat } from "../../../audio/formats.ts";
import { isLanguageTag, languageHint, primaryLanguage } from "../../../language-tag.ts";
import type { Catalogue } from "../../../models/catalogue.ts";
import { modelSpeaking, speechNamed } from "../../../models/default-speech.ts";
import { languagesSpoken } from "../../../models/manifest.ts";
import type { SpeechChoice } from "../dialect-speech.ts";
import { unsupported } from "../query.ts";

/** By their names in the address. */
const KINDS = { mpeg: "mp3", wav: "wav", l16: "pcm" } as const;

export type Kind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as Kind[];

const MEDIA_TYPES: Record<string, Kind> = {
  ...{ "audio/mpeg": "mpeg", "audio/mp3": "mpeg", "audio/wav": "wav", "audio/x-wav": "wav" },
  "audio/l16": "l16",
};

/** Those that jambonz has a name for. */
const RATES = [8000, 16_000, 24_000, 32_000, 48_000];
const RATES_OF_MP3 = [16_000, 24_000, 32_000, 48_000];
const TELEPHONE_RATE = 8000;

/** The first that is accepted; null: any is. */
export const acceptedKind = (accept: string | null): Kind | null =>
  (accept ?? "")
    .slice(0, 1000)
    .split(",")
    .map((type) => MEDIA_TYPES[type.split(";")[0]!.trim().toLowerCase()])
    .find((kind) => kind !== undefined) ?? null;

/** MP3 has the rate that is next above, because there is none of 8 kHz. */
export function formatOf(kind: Kind, rate: number | null): ClipFormat {
  const sampleRate = rate ?? (kind === "mpeg" ? null : TELEPHONE_RATE);
  if (sampleRate === null) return { format: KINDS[kind] };
  if (!RATES.includes(sampleRate))
    throw unsupported("sampleRate", `it must be ${RATES.join(", ")}, not ${sampleRate}.`);
  const rates = kind === "mpeg" ? RATES_OF_MP3 : RATES;
  return { format: KINDS[kind], sampleRate: rates.find((each) => each >= sampleRate)! };
}

export const mediaTypeOf = (kind: Kind, { sampleRate }: ClipFormat): string =>
  kind === "l16" ? `audio/l16;rate=${sampleRate}` : `audio/${kind}`;

/** What jambonz writes where its application names no voice. */
const UNNAMED = new Set(["", "undefined", "null", "default"]);

type Named = {
  voice?: string | null | undefined;
  language?: string | null | undefined;
  model: string | null;
};

/** Where no voice is named, the first that speaks the language does. */
export function voiceOf({ voice, language, model }: Named): Omit<SpeechChoice, "format"> {
  const name = UNNAMED.has((voice ?? "").trim().toLowerCase()) ? null : voice!.trim();
  const hint = languageHint(language);
  const tag = hint !== null && isLanguageTag(hint) ? hint : null;
  return {
    voice: name,
    language: tag,
    speed: 1,
    named(catalogue, ownVoice) {
      const asked = name ?? voiceFor(catalogue, { language: tag, model });
      if (model !== null && (asked !== null || !catalogue.find(model))) return { model, voice: asked ?? "" };
      if (name === null && asked !== null)
        return { voice: asked, model: modelSpeaking(catalogue, { voice: asked, ownVoice, language: tag }) };
      return speechNamed(catalogue, { name: asked ?? model, ownVoice, language: tag });
    },
  };
}

/** Null: none speaks it. */
function voiceFor(
  { voices, find }: Catalogue,
  { language, model }: { language: string | null; model: string | null },
): string | null {
  if (language === null) return null;
  const id = model === null ? null : find(model)?.id;
  const able = voices.filter(
    (voice) =>
      (id === null || voice.models.some((each) => each === id)) &&
      languagesSpoken(voice).includes(primaryLanguage(language)),
  );
  return (able.find(({ locale }) => locale === language) ?? able[0])?.id ?? null;
}

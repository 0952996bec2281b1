/** A voice as ElevenLabs describes one: of the catalogue, or of the organization's own. */
import type { BoundVoice } from "../../../models/catalogue.ts";
import { languagesSpoken } from "../../../models/manifest.ts";
import type { OwnVoice } from "../../../voices/voices.ts";

/** What its clients begin with. Only the speed has an effect here. */
export const DEFAULT_SETTINGS = {
  stability: 0.5,
  similarity_boost: 0.75,
  style: 0,
  use_speaker_boost: true,
  speed: 1,
};

type Category = "premade" | "cloned" | "generated";

export type VoiceObject = ReturnType<typeof voiceObject>;

/** `own`: what is stored of one of the organization's own; null: it is of the catalogue. */
type Described = { bound: BoundVoice; own: null } | { bound: BoundVoice | null; own: OwnVoice };

/** Labels are text; what is not known is left out. `preview_url`: there are no samples of voices. */
export function voiceObject({ bound, own }: Described) {
  const { id, name } = own ?? bound;
  const { style, age, description, use_cases } = bound?.metadata ?? NOTHING;
  const category: Category = own === null ? "premade" : own.kind === "blend" ? "generated" : "cloned";
  const models = bound?.models ?? (own ? [own.model] : []);
  return {
    voice_id: id,
    name,
    category,
    labels: withoutNulls({
      gender: bound?.gender,
      age,
      language: bound?.language,
      accent: bound?.locale,
      description: style,
      use_case: use_cases[0],
    }),
    description,
    preview_url: null,
    settings: DEFAULT_SETTINGS,
    samples: null,
    sharing: null,
    voice_verification: null,
    available_for_tiers: [],
    high_quality_base_model_ids: models,
    verified_languages: bound ? verifiedOf(bound) : [],
    is_owner: own !== null,
    is_legacy: false,
    is_mixed: own?.kind === "blend",
    created_at_unix: own?.createdAt ?? null,
  };
}

const NOTHING = { style: null, age: null, description: null, use_cases: [] };

const verifiedOf = (voice: BoundVoice) =>
  languagesSpoken(voice).map((language) => ({
    language,
    model_id: voice.models[0] ?? "",
    accent: null,
    locale: language === voice.language ? voice.locale : null,
    preview_url: null,
  }));

const withoutNulls = (labels: Record<string, string | null | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).flatMap(([name, value]) => (value ? [[name, value]] : [])));

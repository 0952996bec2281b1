/** GET /v1/models as ElevenLabs lists them: what speaks. Not metered. */
import { Elysia } from "elysia";
import { languageName } from "../../../language-tag.ts";
import { CHARACTERS_MAX } from "../../../metered/request-limits.ts";
import { type Entry, isTts } from "../../../models/catalogue.ts";
import { languagesSpoken, type TtsManifest } from "../../../models/manifest.ts";
import type { DialectServices } from "../dialect.ts";

type ModelsDeps = Pick<DialectServices, "access" | "catalogueFor">;

export const elevenLabsModels = ({ access, catalogueFor }: ModelsDeps) =>
  new Elysia().get(
    "/elevenlabs/v1/models",
    async ({ request }) => {
      const principal = await access(request, "catalog:read");
      const speaking = catalogueFor(principal).entries.filter(isTts);
      return Response.json(speaking.filter(({ version }) => version !== null).map(modelOf));
    },
    { detail: { hide: true } },
  );

const modelOf = ({ id, manifest }: Entry<TtsManifest>) => ({
  model_id: id,
  name: manifest.name,
  description: manifest.description,
  can_be_finetuned: false,
  can_do_text_to_speech: true,
  can_do_voice_conversion: false,
  can_use_style: false,
  can_use_speaker_boost: false,
  serves_pro_voices: false,
  token_cost_factor: 1,
  requires_alpha_access: false,
  max_characters_request_free_user: CHARACTERS_MAX,
  max_characters_request_subscribed_user: CHARACTERS_MAX,
  maximum_text_length_per_request: CHARACTERS_MAX,
  languages: [...new Set(manifest.voices.flatMap(languagesSpoken))].map((code) => ({
    language_id: code,
    name: capitalized(languageName(code)),
  })),
  model_rates: { character_cost_multiplier: 1 },
  concurrency_group: "standard",
});

const capitalized = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

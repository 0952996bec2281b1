/**
 * GET /v1/models and /v1/models/{id} as Deepgram has them: what recognizes, and the voices that speak, which its requests name as
 * models. Not metered.
 */
import { Elysia } from "elysia";
import type { Principal } from "../../../accounts/principal.ts";
import { Refusal } from "../../../errors.ts";
import { type BoundVoice, type Catalogue, type Entry, isStt } from "../../../models/catalogue.ts";
import { languagesOf, languagesSpoken, type SttManifest, usesOf } from "../../../models/manifest.ts";
import { ownVoicesListed } from "../../../voices/voices.ts";
import type { DialectServices } from "../dialect.ts";

type ModelsDeps = Pick<DialectServices, "access" | "catalogueFor" | "ownVoices">;

const HIDDEN = { detail: { hide: true } } as const;

export function deepgramModels({ access, catalogueFor, ownVoices }: ModelsDeps) {
  const listed = async (principal: Principal) => {
    const catalogue = catalogueFor(principal);
    const own = await ownVoicesListed(ownVoices, principal, catalogue);
    return { catalogue, ...listOf(catalogue, own) };
  };
  return new Elysia()
    .get(
      "/deepgram/v1/models",
      async ({ request }) => {
        const { stt, tts } = await listed(await access(request, "catalog:read"));
        return { stt, tts };
      },
      HIDDEN,
    )
    .get(
      "/deepgram/v1/models/:model",
      async ({ request, params }) => {
        const { catalogue, stt, tts } = await listed(await access(request, "catalog:read"));
        const id = idOf(catalogue, params.model);
        const found = [...stt, ...tts].find(({ uuid }) => uuid === id);
        if (found) return found;
        const message = `There is no model ${params.model.slice(0, 256)}.`;
        throw new Refusal("model_not_found", message, { param: "model_id" });
      },
      HIDDEN,
    );
}

/** Of a recognizer or a voice, by its id or another name. */
const idOf = ({ find, names, voices }: Catalogue, name: string): string => {
  const entry = find(name);
  return entry && isStt(entry) ? entry.id : (names.voice(name, voices)?.id ?? name);
};

const listOf = ({ entries, voices }: Catalogue, own: BoundVoice[]) => ({
  stt: entries
    .filter(isStt)
    .filter(({ version }) => version !== null)
    .map(recognizerOf),
  tts: [...own, ...voices].map(speakerOf),
});

/** `uuid`: what the route of one model takes. */
const recognizerOf = ({ id, manifest }: Entry<SttManifest>) => ({
  name: manifest.name,
  canonical_name: id,
  architecture: id,
  languages: languagesOf(manifest),
  version: manifest.version,
  uuid: id,
  batch: usesOf(manifest).includes("batch"),
  streaming: usesOf(manifest).includes("realtime"),
  formatted_output: true,
});

const speakerOf = (voice: BoundVoice) => ({
  name: voice.name,
  canonical_name: voice.id,
  architecture: voice.models[0] ?? "",
  languages: [...new Set([voice.locale, ...languagesSpoken(voice)])],
  version: "1",
  uuid: voice.id,
  metadata: {
    accent: voice.locale,
    age: voice.metadata.age,
    color: null,
    image: null,
    sample: null,
    tags: [voice.gender, ...(voice.metadata.style ? [voice.metadata.style] : [])],
    use_cases: voice.metadata.use_cases,
  },
});

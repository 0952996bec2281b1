/**
 * /v1/voices and /v2/voices as ElevenLabs has them: the voices of the catalogue and the organization's own, one of them, and
 * the settings that clients begin with. Reading is not metered.
 */

import { Elysia } from "elysia";
import type { Principal } from "../../../accounts/principal.ts";
import { actingAs, keyActor } from "../../../audit/actor.ts";
import { invalidInput, Refusal, unavailableOnError } from "../../../errors.ts";
import type { Catalogue } from "../../../models/catalogue.ts";
import { ownVoiceListed } from "../../../models/own-voice.ts";
import { ownVoicesWithin } from "../../../voices/voices.ts";
import { rateLimitHeaders } from "../../middleware/response-headers.ts";
import type { DialectServices } from "../dialect.ts";
import { DEFAULT_SETTINGS, type VoiceObject, voiceObject } from "./voice-object.ts";
import { readVoiceSearch, voicePage } from "./voice-search.ts";

type VoicesDeps = Pick<DialectServices, "access" | "catalogueFor" | "ownVoices" | "meter">;

const HIDDEN = { detail: { hide: true } } as const;

export function elevenLabsVoices(deps: VoicesDeps) {
  const { access, ownVoices, meter } = deps;
  const all = async (request: Request) => voicesOf(deps, await access(request, "catalog:read"));
  const named = async (request: Request, name: string) =>
    voiceNamed(deps, await access(request, "catalog:read"), name);
  return new Elysia()
    .get("/elevenlabs/v1/voices", async ({ request }) => ({ voices: await all(request) }), HIDDEN)
    .get(
      "/elevenlabs/v2/voices",
      async ({ request }) => {
        const voices = await all(request);
        const { value, details } = readVoiceSearch(new URL(request.url).searchParams);
        if (details !== null) throw invalidInput(details);
        return voicePage(voices, value);
      },
      HIDDEN,
    )
    .get(
      "/elevenlabs/v1/voices/settings/default",
      async ({ request }) => {
        await access(request, "catalog:read");
        return DEFAULT_SETTINGS;
      },
      HIDDEN,
    )
    .get("/elevenlabs/v1/voices/:voice", ({ request, params }) => named(request, params.voice), HIDDEN)
    .get(
      "/elevenlabs/v1/voices/:voice/settings",
      async ({ request, params }) => (await named(request, params.voice)).settings,
      HIDDEN,
    )
    .delete(
      "/elevenlabs/v1/voices/:voice",
      async ({ request, params, set }) => {
        const principal = await access(request, "voice:create");
        await meter.takeRequest(principal, (states) => Object.assign(set.headers, rateLimitHeaders(states)));
        const { voices } = ownVoices;
        const remove = () => voices.remove(principal.organizationId, params.voice);
        const removed = actingAs(keyActor(principal, request), remove);
        if (!(await unavailableOnError("The voices", removed)))
          throw unknown(`There is no voice ${params.voice.slice(0, 256)} of your own.`);
        return { status: "ok" };
      },
      { parse: "none", ...HIDDEN },
    );
}

/** The organization's own first. */
async function voicesOf(
  { catalogueFor, ownVoices }: VoicesDeps,
  principal: Principal,
): Promise<VoiceObject[]> {
  const catalogue = catalogueFor(principal);
  const own = await ownVoicesWithin(ownVoices, principal, catalogue);
  return [...own.map(voiceObject), ...catalogue.voices.map((bound) => voiceObject({ bound, own: null }))];
}

/** By its id, or by another name of a voice of the catalogue. */
async function voiceNamed(
  { catalogueFor, ownVoices }: VoicesDeps,
  principal: Principal,
  name: string,
): Promise<VoiceObject> {
  const catalogue = catalogueFor(principal);
  const found = ownVoices.voices.find(principal.organizationId, name);
  const own = await unavailableOnError("The voices", found);
  if (own) return voiceObject({ bound: ownVoiceListed(catalogue, own), own });
  const bound = catalogueVoice(catalogue, name);
  if (bound) return voiceObject({ bound, own: null });
  throw unknown(`There is no voice ${name.slice(0, 256)}.`);
}

function catalogueVoice({ voices, names }: Catalogue, name: string) {
  const known = voices.find(({ id, aliases }) => id === name || aliases.includes(name));
  const meant = known ?? names.voice(name, voices);
  return meant && voices.find(({ id }) => id === meant.id);
}

const unknown = (message: string) => new Refusal("invalid_voice", message, { param: "voice_id" });

/**
 * /v1/audio/voices: an organization's own voices. POST makes one of a recording, GET shows it, DELETE ends it.
 *
 *   key -> scope -> limits -> credit -> room -> form -> catalogue -> decode -> seconds -> engine -> stored -> charge -> answer
 *
 * Whatever is refused stores nothing and costs nothing. The list of all voices is in `discovery.ts`.
 */

import { Elysia } from "elysia";
import { actingAs, keyActor } from "../../../audit/actor.ts";
import type { EngineRegistry } from "../../../engine/registry.ts";
import { Refusal, unavailableOnError } from "../../../errors.ts";
import { openRoom, type Room } from "../../../memory/budget.ts";
import type { CatalogueFor } from "../../../models/live-catalogue.ts";
import { chooseBlended, chooseCloning } from "../../../models/own-voice.ts";
import type { Work } from "../../../usage/work.ts";
import { consentNamed } from "../../../voices/consents.ts";
import { encodeVoice } from "../../../voices/encode-voice.ts";
import { decodeParts } from "../../../voices/reference.ts";
import { noCloning, type OwnVoice, type Voices, voiceIdOf } from "../../../voices/voices.ts";
import { mediaTypeOf, readJson } from "../../middleware/body/body.ts";
import { jsonFingerprint } from "../../middleware/body/idempotency.ts";
import { type Admitted, claimOf, type MeteredCall } from "../../middleware/metering.ts";
import { audioWarningsHeader, rateLimitHeaders } from "../../middleware/response-headers.ts";
import { audioFile, PRIVATE } from "./audio-file.ts";
import { type ConsentDeps, consentRoutes } from "./consent-routes.ts";
import { VOICE_DETAILS } from "./voice-document.ts";
import { fingerprintOf, readVoiceForm, VOICE_FORM_LIMIT } from "./voice-form.ts";
import { voiceRecord } from "./voice-record.ts";
import { type GivenConsent, parseBlendBody, parseVoiceForm } from "./voice-request.ts";

export type VoiceDeps = ConsentDeps & {
  catalogueFor: CatalogueFor;
  voices: Voices;
  registry: Pick<EngineRegistry, "engine">;
  /** Whether the operator allows voices that are made of recordings. */
  cloning: boolean;
};

const ROUTE = { endpoint: "/v1/audio/voices", scope: "voice:create", bucket: "seconds" } as const;

type Named = MeteredCall & { params: { voice: string } };

export function voiceRoutes(deps: VoiceDeps) {
  const { access, metered, meter, voices } = deps;
  const uploads = openRoom({ organizationBytes: 4 * VOICE_FORM_LIMIT });
  const found = async ({ request, params }: Named, scope: "catalog:read" | "voice:create") => {
    const principal = await access(request, scope);
    const voice = await stored(voices.find(principal.organizationId, params.voice));
    if (voice === null) throw unknown(params.voice);
    return voice;
  };
  return new Elysia()
    .use(consentRoutes(deps))
    .post(
      ROUTE.endpoint,
      (call) =>
        metered(call, ROUTE, (admitted) =>
          mediaTypeOf(call.request) === "application/json"
            ? blend(deps, { call, admitted })
            : recordVoice({ ...deps, uploads }, { call, admitted, parse: parseVoiceForm }),
        ),
      { parse: "none", detail: VOICE_DETAILS.create },
    )
    .get("/v1/audio/voices/:voice", async (call) => voiceRecord(await found(call, "catalog:read")), {
      detail: VOICE_DETAILS.retrieve,
    })
    .get(
      "/v1/audio/voices/:voice/recording",
      async (call) => {
        const voice = await found(call, "voice:create");
        return audioFile(await stored(voices.read(voice, "recording")), { id: voice.id, param: "voice" });
      },
      { detail: VOICE_DETAILS.recording },
    )
    .get(
      "/v1/audio/voices/:voice/consent",
      async (call) => {
        const voice = await found(call, "voice:create");
        const consent = await stored(voices.read(voice, "consent"));
        if (voice.consent !== "statement") return audioFile(consent, { id: voice.id, param: "voice" });
        return new Response(new Uint8Array(consent ?? []), {
          headers: { ...PRIVATE, "content-type": "text/plain; charset=utf-8" },
        });
      },
      { detail: VOICE_DETAILS.consent },
    )
    .delete(
      "/v1/audio/voices/:voice",
      async ({ request, set, params }) => {
        const principal = await access(request, "voice:create");
        await meter.takeRequest(principal, (states) => Object.assign(set.headers, rateLimitHeaders(states)));
        const { organizationId } = principal;
        const remove = () => voices.remove(organizationId, params.voice);
        if (!(await stored(actingAs(keyActor(principal, request), remove)))) throw unknown(params.voice);
        return { id: params.voice, object: "audio.voice.deleted", deleted: true };
      },
      { parse: "none", detail: VOICE_DETAILS.remove },
    );
}

const stored = <T>(result: Promise<T>): Promise<T> => unavailableOnError("The voices", result);

const unknown = (id: string) =>
  new Refusal("invalid_voice", `There is no voice ${id.slice(0, 256)} of your own.`, { param: "voice" });

const given = async (
  { consents }: Pick<VoiceDeps, "consents">,
  organizationId: string,
  consent: GivenConsent,
) => (consent.kind === "id" ? stored(consentNamed(consents, organizationId, consent.id)) : consent);

type Asked = { call: MeteredCall; admitted: Admitted };

type RecordingDeps = Omit<VoiceDeps, "access" | "metered" | "meter"> & { uploads: Room };
type Recording = Asked & { parse: typeof parseVoiceForm };

/** Makes a voice of the recording in a form, as `parse` reads it. */
export async function recordVoice(
  deps: RecordingDeps,
  { call, admitted, parse }: Recording,
): Promise<Response> {
  const { catalogueFor, voices, timeouts, cloning, uploads } = deps;
  const { principal, work, holding, signal } = admitted;
  const { organizationId } = principal;
  if (!cloning) throw noCloning();
  await work.replays.unlessReplay(() => stored(voices.checkRoom(organizationId)));
  const expected = "multipart/form-data with a recording, or JSON with a blend";
  const form = await readVoiceForm(call.request, {
    ...{ timeouts, hold: holding.take, uploads, organizationId, expected },
  });
  const request = parse(form);
  const chosen = chooseCloning(catalogueFor(principal), request);
  work.note({ model: chosen.id });
  await work.identify(() => fingerprintOf(form));
  const known = await earlier(deps, admitted);
  if (known) return answer(work, known);
  const consent = await given(deps, organizationId, request.consent);
  const claim = claimOf(admitted, "batch");
  const made = await decodeParts(deps.decoder, { ...request, consent }, claim);
  work.note({ audioSeconds: made.seconds });
  await work.take(made.seconds);
  const { registry } = deps;
  const encoding = await encodeVoice(made.samples, { registry, engine: chosen.engine, claim });
  signal.throwIfAborted(); // the client would not learn of the voice
  const create = () =>
    voices.create({
      id: voiceIdOf(work.replays.requestId),
      ...{ organizationId, name: request.name, model: chosen.id, engine: chosen.engine },
      ...{ durationMs: Math.round(made.seconds * 1000), ...made.agreed },
      parts: { ...made.parts, [`encoding:${chosen.engine}`]: encoding },
    });
  const voice = await stored(actingAs(keyActor(principal, call.request), create));
  work.note({ voice: voice.id });
  const { id: model, manifest } = chosen;
  await orRemoved(
    deps,
    voice,
    work.post({ model, priceMicros: manifest.price_micros, quantity: made.seconds }),
  );
  const first = work.replays.of === null ? null : await earlier(deps, admitted);
  if (first === null || first.id === voice.id) return answer(work, voice, made.warnings);
  await stored(voices.remove(organizationId, voice.id)); // both attempts ran at the same time
  return answer(work, first);
}

/** `warnings`: of the recording that was just read. */
function answer(work: Work, voice: OwnVoice, warnings: readonly string[] = []): Response {
  work.end(200);
  return Response.json(voiceRecord(voice), { headers: audioWarningsHeader(warnings) });
}

/**
 * The voice that the same request made when it was sent before; null where this is the first, or the voice is gone. One
 * that was not charged, because its server was killed, is removed.
 */
async function earlier(
  { voices }: Pick<VoiceDeps, "voices">,
  { principal, work }: Admitted,
): Promise<OwnVoice | null> {
  const { organizationId } = principal;
  const voice = await stored(voices.find(organizationId, voiceIdOf(work.replays.requestId)));
  if (voice === null || work.replays.of !== null) return voice;
  await stored(voices.remove(organizationId, voice.id));
  return null;
}

/** Costs nothing: no engine runs for it. */
async function blend(deps: VoiceDeps, { call, admitted }: Asked): Promise<Response> {
  const { catalogueFor, voices, timeouts } = deps;
  const { principal, work } = admitted;
  const { organizationId } = principal;
  await work.replays.unlessReplay(() => stored(voices.checkRoom(organizationId)));
  const body = await readJson(call.request, timeouts);
  const request = parseBlendBody(body);
  const { id: model } = chooseBlended(catalogueFor(principal), request);
  await work.identify(async () => jsonFingerprint(body));
  const known = await earlier(deps, admitted);
  if (known) return answer(work, known);
  const id = voiceIdOf(work.replays.requestId);
  const create = () =>
    voices.create({ id, organizationId, name: request.name, model, blend: request.blend, parts: {} });
  const voice = await stored(actingAs(keyActor(principal, call.request), create));
  work.note({ model, voice: voice.id });
  await unavailableOnError("The ledger", work.replays.settle());
  return answer(work, voice);
}

/** A voice that cannot be charged is not kept. */
async function orRemoved(
  { voices }: Pick<VoiceDeps, "voices">,
  voice: OwnVoice,
  charge: Promise<void>,
): Promise<void> {
  try {
    await charge;
  } catch (cause) {
    await voices.remove(voice.organizationId, voice.id).catch(() => {}); // the database is the one that failed
    throw cause;
  }
}

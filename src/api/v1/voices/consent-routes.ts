/**
 * /v1/audio/voice_consents: the consents of speakers, in OpenAI's shape. Each is a recording that is kept, and costs nothing.
 *
 *   key -> scope -> limits -> credit -> room -> form -> decode -> stored -> answer
 */
import { Elysia } from "elysia";
import Type, { type Static } from "typebox";
import type { Decoder } from "../../../engine/media/media-decoder.ts";
import { invalidInput, unavailableOnError } from "../../../errors.ts";
import { openRoom, type Room } from "../../../memory/budget.ts";
import { checker } from "../../../schema.ts";
import type { Meter } from "../../../usage/meter.ts";
import { type Consent, type Consents, consentIdOf, unknownConsent } from "../../../voices/consents.ts";
import { decodeConsent } from "../../../voices/reference.ts";
import { type BodyTimeouts, readJson } from "../../middleware/body/body.ts";
import type { Authentication } from "../../middleware/caller.ts";
import { type Admitted, claimOf, type MeteredCall, type MeteredRoutes } from "../../middleware/metering.ts";
import { audioWarningsHeader, rateLimitHeaders } from "../../middleware/response-headers.ts";
import { audioFile } from "./audio-file.ts";
import { CONSENT_DETAILS, CONSENTS_MAX } from "./consent-document.ts";
import { consentRecord } from "./consent-record.ts";
import { fingerprintOf, readVoiceForm, VOICE_FORM_LIMIT } from "./voice-form.ts";
import { parseConsentForm, parseConsentName } from "./voice-request.ts";

export type ConsentDeps = {
  access: Authentication;
  metered: MeteredRoutes;
  meter: Pick<Meter, "takeRequest">;
  consents: Consents;
  decoder: Decoder;
  timeouts: BodyTimeouts;
};

const ROUTE = { endpoint: "/v1/audio/voice_consents", scope: "voice:create", bucket: "seconds" } as const;
const ONE = "/v1/audio/voice_consents/:consent";

type Named = MeteredCall & { params: { consent: string } };

export function consentRoutes(deps: ConsentDeps) {
  const { access, metered, meter, consents, timeouts } = deps;
  const uploads = openRoom({ organizationBytes: 2 * VOICE_FORM_LIMIT });
  const organizationOf = async ({ request }: MeteredCall) =>
    (await access(request, ROUTE.scope)).organizationId;
  const counted = async ({ request, set }: MeteredCall) => {
    const principal = await access(request, ROUTE.scope);
    await meter.takeRequest(principal, (states) => Object.assign(set.headers, rateLimitHeaders(states)));
    return principal.organizationId;
  };
  const found = async (call: Named) => {
    const organizationId = await organizationOf(call);
    return (
      (await stored(consents.find(organizationId, call.params.consent))) ??
      unknownConsent(call.params.consent)
    );
  };
  return new Elysia()
    .post(
      ROUTE.endpoint,
      (call) => metered(call, ROUTE, (admitted) => create(deps, uploads, { call, admitted })),
      { parse: "none", detail: CONSENT_DETAILS.create },
    )
    .get(
      ROUTE.endpoint,
      async (call) => page(consents, await organizationOf(call), new URL(call.request.url).searchParams),
      {
        detail: CONSENT_DETAILS.list,
      },
    )
    .get(ONE, async (call) => consentRecord(await found(call)), { detail: CONSENT_DETAILS.retrieve })
    .get(
      `${ONE}/recording`,
      async (call) => {
        const consent = await found(call);
        return audioFile(await stored(consents.recording(consent)), { id: consent.id, param: "consent" });
      },
      { detail: CONSENT_DETAILS.recording },
    )
    .post(
      ONE,
      async (call) => {
        const organizationId = await counted(call);
        const { consent: id } = call.params;
        const name = parseConsentName(await readJson(call.request, timeouts));
        return consentRecord((await stored(consents.rename(organizationId, id, name))) ?? unknownConsent(id));
      },
      { parse: "none", detail: CONSENT_DETAILS.update },
    )
    .delete(
      ONE,
      async (call) => {
        const organizationId = await counted(call);
        const { consent: id } = call.params;
        if (!(await stored(consents.remove(organizationId, id)))) unknownConsent(id);
        return { id, object: "audio.voice_consent", deleted: true };
      },
      { parse: "none", detail: CONSENT_DETAILS.remove },
    );
}

const stored = <T>(result: Promise<T>): Promise<T> => unavailableOnError("The consents", result);

const PAGE = 20;
const query = checker(
  Type.Object({
    after: Type.Optional(Type.String({ pattern: "^cons_[0-9a-z]{24}$" })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: CONSENTS_MAX })),
  }),
);

/** The newest first. `after` may have been deleted meanwhile: ids sort by the time at which they were made. */
async function page(consents: Consents, organizationId: string, sent: URLSearchParams) {
  const { after, limit: text } = Object.fromEntries(sent);
  const count = text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text;
  const asked = {
    ...(after === undefined ? {} : { after }),
    ...(count === undefined ? {} : { limit: count }),
  };
  const { value, details } = query.check(asked);
  if (details !== null) throw invalidInput(details);
  const { after: from = null, limit = PAGE } = value as Static<typeof query.schema>;
  const rows = await stored(consents.list(organizationId, { after: from, limit: limit + 1 }));
  const data = rows.slice(0, limit).map(consentRecord);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: rows.length > limit,
  };
}

type Sent = { call: MeteredCall; admitted: Admitted };

async function create(deps: ConsentDeps, uploads: Room, { call, admitted }: Sent): Promise<Response> {
  const { consents, decoder, timeouts } = deps;
  const { principal, work, holding, signal } = admitted;
  const { organizationId } = principal;
  await work.replays.unlessReplay(() => stored(consents.checkRoom(organizationId)));
  const expected = "multipart/form-data with a recording";
  const form = await readVoiceForm(call.request, {
    ...{ timeouts, hold: holding.take, uploads, organizationId, expected },
  });
  const { recording, name, language } = parseConsentForm(form);
  await work.identify(() => fingerprintOf(form));
  const answer = (consent: Consent, warnings: readonly string[] = []) => {
    work.end(200);
    return Response.json(consentRecord(consent), { headers: audioWarningsHeader(warnings) });
  };
  const known = await earlier(deps, admitted);
  if (known) return answer(known);
  const claim = claimOf(admitted, "batch");
  const { wav, warnings } = await decodeConsent(decoder, recording, { param: "recording", claim });
  signal.throwIfAborted(); // the client would not learn of the consent
  const id = consentIdOf(work.replays.requestId);
  const consent = await stored(consents.create({ id, organizationId, name, language, recording: wav }));
  await unavailableOnError("The ledger", work.replays.settle());
  return answer(consent, warnings);
}

/** What the same request made when it was sent before. One whose answer was never settled is removed. */
async function earlier({ consents }: ConsentDeps, { principal, work }: Admitted): Promise<Consent | null> {
  const { organizationId } = principal;
  const consent = await stored(consents.find(organizationId, consentIdOf(work.replays.requestId)));
  if (consent === null || work.replays.of !== null) return consent;
  await stored(consents.remove(organizationId, consent.id));
  return null;
}

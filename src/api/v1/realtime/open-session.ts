/**
 * Opening a live session, each step before the next may cost anything:
 *
 *   key ─> scope ─> limits ─> credit ─> settings ─> model ─> session
 */
import type { Accounts } from "../../../accounts/accounts.ts";
import type { Principal } from "../../../accounts/principal.ts";
import { type Clock, unixSeconds } from "../../../clock.ts";
import type { Refusal } from "../../../errors.ts";
import { newId } from "../../../ids.ts";
import type { Budget, Holding } from "../../../memory/budget.ts";
import type { ChosenRecognition } from "../../../models/choose.ts";
import type { CatalogueFor } from "../../../models/live-catalogue.ts";
import { Outbox } from "../../../realtime/outbox.ts";
import { Session } from "../../../realtime/session.ts";
import { type Client, SessionRunner, type TurnDetector } from "../../../realtime/session-runner.ts";
import { DEFAULTS } from "../../../realtime/settings.ts";
import { TranscriptionFront } from "../../../realtime/transcription-front.ts";
import type { VadStreams } from "../../../realtime/vad-streams.ts";
import type { Tracing } from "../../../tracing/tracing.ts";
import type { LiveRecognizer } from "../../../transcription/live.ts";
import type { Meter } from "../../../usage/meter.ts";
import { StreamBilling } from "../../../usage/stream-billing.ts";
import type { Work } from "../../../usage/work.ts";
import { requireScope } from "../../middleware/authentication.ts";
import type { Opening } from "./handshake.ts";
import { isOfOthers, readUpdate, recognizerOf, resolveSettings } from "./settings-schema.ts";
import { errorFields } from "./socket-errors.ts";

export const SESSION_SECONDS = 3600;

export type SessionDeps = {
  accounts: Accounts;
  catalogueFor: CatalogueFor;
  vadStreams: VadStreams;
  live: LiveRecognizer;
  turnDetector: TurnDetector;
  budget: Budget;
  meter: Meter;
  clock: Clock;
  tracing: Tracing | null;
};

/**
 * A session under way, with everything that its frames act on. `transcribes`: it was opened to only transcribe. `forgives`: its
 * model has a name of another API, whose sessions go on after a client's mistake.
 */
export type LiveSession = {
  transcribes: boolean;
  forgives: boolean;
  session: Session;
  front: TranscriptionFront;
  runner: SessionRunner;
  work: Work;
  billing: StreamBilling;
  principal: Principal;
};

/** The socket's side of a session: where events go, and who learns of what was opened before a later step fails. */
export type Connection = Omit<Client, "organization"> & {
  metered(work: Work): void;
  admitted(holding: Holding): void;
};

export async function openSession(
  deps: SessionDeps,
  opening: Opening,
  { metered, admitted, ...connection }: Connection,
): Promise<LiveSession> {
  const { accounts, catalogueFor, meter, budget, vadStreams, live, turnDetector, clock } = deps;
  const { id, shape, ip, userAgent } = opening;
  const { principal, stored } = await identify(accounts, opening.secret());
  const request = { id, endpoint: "/v1/realtime", method: "WS" };
  const trace = deps.tracing?.open(request, opening.request) ?? null;
  const work = meter.open({ ...request, principal, ip, userAgent, trace, bucket: "seconds" });
  metered(work);
  requireScope(principal, "realtime:connect");
  await work.admit();
  admitted(budget.open(principal.organizationId));
  const first = readUpdate({ session: stored });
  const transcribes = first.transcribes || shape.intent;
  const named = { ...first, model: opening.model ?? first.model, transcribes };
  const catalogue = catalogueFor(principal.plan);
  const { settings, chosen } = resolveSettings(catalogue, DEFAULTS, named);
  const forgives = isOfOthers(catalogue, named) ?? false;
  const expiresAt = unixSeconds(clock) + SESSION_SECONDS;
  const identity = {
    id: newId("sess", clock),
    expiresAt,
    shape,
    errorFields: (refusal: Refusal) => errorFields(refusal, id),
  };
  const out = new Outbox(identity.id);
  const front = new TranscriptionFront(identity, out, { settings, language: chosen.assumedLanguage });
  const countsSilence = principal.plan === "prepaid"; // its contract says so
  const session = new Session(settings, { front, out, countsSilence });
  const client = { ...connection, organization: principal.organizationId };
  const runner = new SessionRunner(
    { session, vadStreams, recognizer: live, turnDetector, client },
    recognizerOf(chosen, settings),
  );
  work.note({ model: chosen.model, stream: true });
  work.noteProgress(101);
  const billing = new StreamBilling(work, priceOf(chosen));
  return { transcribes, forgives, session, front, runner, work, billing, principal };
}

/** A client secret brings the settings it was minted with. */
async function identify(
  accounts: Accounts,
  secret: string,
): Promise<{ principal: Principal; stored: object }> {
  if (!secret.startsWith("ek_")) return { principal: await accounts.authenticate(secret), stored: {} };
  const { principal, session } = await accounts.redeemClientSecret(secret);
  return { principal, stored: session };
}

export const priceOf = ({ model, manifest }: ChosenRecognition) => ({
  model,
  priceMicros: manifest.price_micros,
});

/**
 * Opening a live session, each step before the next may cost anything:
 *
 *   key ─> scope ─> limits ─> credit ─> settings ─> model ─> session: a transcription, or a conversation
 */
import type { Accounts } from "../../../accounts/accounts.ts";
import { isGrant, noSession } from "../../../accounts/grants.ts";
import type { Principal } from "../../../accounts/principal.ts";
import { unixSeconds } from "../../../clock.ts";
import type { Refusal } from "../../../errors.ts";
import { newId } from "../../../ids.ts";
import type { Budget, Holding } from "../../../memory/budget.ts";
import type { ChosenRecognition } from "../../../models/choose.ts";
import { knownLanguage } from "../../../models/choose-engine.ts";
import type { Front } from "../../../realtime/front.ts";
import { Outbox } from "../../../realtime/outbox.ts";
import { Session } from "../../../realtime/session.ts";
import { SessionRunner } from "../../../realtime/session-runner.ts";
import { DEFAULTS, type Settings } from "../../../realtime/settings.ts";
import { TranscriptionFront } from "../../../realtime/transcription-front.ts";
import type { Tracing } from "../../../tracing/tracing.ts";
import { StreamBilling } from "../../../usage/live-billing.ts";
import type { Meter } from "../../../usage/meter.ts";
import { labelIn } from "../../../usage/request-log.ts";
import type { Work } from "../../../usage/work.ts";
import { endUserIn, labelInQuery, requireScope } from "../../middleware/caller.ts";
import { SESSION_SECONDS } from "../../sockets/keep-alive.ts";
import { applyEvent, parseFrame, readEvent, type Transcribing } from "./frames.ts";
import type { Opening } from "./handshake.ts";
import {
  type Admitted,
  type Connection,
  type LiveSession,
  type OpenConversation,
  type OpeningDeps,
  timingOf,
} from "./live-session.ts";
import { isOfOthers, priceOf, readUpdate, recognizerOf, resolveSettings } from "./settings-schema.ts";
import { errorFields, isHarmless, isSlip } from "./socket-errors.ts";

export type SessionDeps = OpeningDeps & {
  accounts: Accounts;
  budget: Budget;
  meter: Meter;
  tracing: Tracing | null;
  openConversation: OpenConversation;
};

/** Who learns of what was opened before a later step fails. */
export type OpeningConnection = Connection & {
  metered(work: Work): void;
  admitted(holding: Holding): void;
};

export async function openSession(
  deps: SessionDeps,
  opening: Opening,
  connection: OpeningConnection,
): Promise<LiveSession> {
  const session = await admit(deps, opening, connection);
  const conversation = await deps.openConversation(deps, session);
  return conversation ?? openTranscription(deps, session);
}

/** A request that may open a session. */
export async function admit(
  deps: Omit<SessionDeps, "openConversation">,
  opening: Opening,
  { metered, admitted, ...connection }: OpeningConnection,
): Promise<Admitted> {
  const { accounts, meter, budget, clock } = deps;
  const { id, endpoint, ip, userAgent } = opening;
  const { principal, stored } = await identify(accounts, opening.secret());
  const request = { id, endpoint, method: "WS" };
  const trace = deps.tracing?.open(request, opening.request) ?? null;
  const endUser = endUserIn(opening.request, principal.endUserHeader);
  const work = meter.open({ ...request, principal, ip, userAgent, endUser, trace, bucket: "seconds" });
  metered(work);
  work.note({ label: labelIn((stored as { metadata?: unknown }).metadata) ?? labelInQuery(opening.request) });
  requireScope(principal, "realtime:connect");
  await work.admit();
  const holding = budget.open(principal.organizationId);
  admitted(holding);
  const sessionId = newId("sess", clock);
  const expiresAt = unixSeconds(clock) + SESSION_SECONDS;
  return { opening, connection, principal, stored, work, holding, sessionId, expiresAt };
}

function openTranscription(deps: OpeningDeps, admitted: Admitted): LiveSession {
  const { catalogueFor } = deps;
  const { opening, principal, stored, sessionId, expiresAt } = admitted;
  const { id, shape } = opening;
  const first = readUpdate({ session: stored });
  const transcribes = first.transcribes || shape.intent;
  const named = { ...first, model: opening.model ?? first.model, transcribes };
  const catalogue = () => catalogueFor(principal);
  const { settings, chosen } = resolveSettings(catalogue(), DEFAULTS, named);
  const identity = {
    ...{ id: sessionId, expiresAt, shape },
    errorFields: (refusal: Refusal) => errorFields(refusal, id),
  };
  const out = new Outbox(sessionId);
  const front = new TranscriptionFront(identity, out, { settings, language: chosen.assumedLanguage });
  const begun = begin(deps, admitted, { settings, chosen, front, out });
  const { session, runner, billing } = begun;
  const ofOthers = isOfOthers(catalogue(), named) ?? false;
  const transcribing: Transcribing = { session, front, runner, billing, transcribes, ofOthers, catalogue };
  return {
    ...{ ...begun, parse: (frame) => parseFrame(frame) },
    apply: (event, context) => applyEvent(transcribing, readEvent(event), context),
    settled: async () => {},
    answers: (type) => /\.(?:delta|completed)$/.test(type),
    forgives: (refusal, frame) =>
      isHarmless(refusal) || (transcribing.ofOthers && typeof frame === "string" && isSlip(refusal)),
  };
}

type Begun = { settings: Settings; chosen: ChosenRecognition; front: Front; out: Outbox };

/** A session that only transcribes, with the front that writes its events. */
export function begin(
  { vadStreams, live, turnDetector, clock }: Omit<OpeningDeps, "catalogueFor">,
  { connection, principal, work }: Admitted,
  { settings, chosen, front, out }: Begun,
): Pick<LiveSession, "session" | "runner" | "work" | "billing" | "principal"> {
  const countsSilence = principal.plan === "prepaid"; // its contract says so
  const session = new Session(settings, { front, out, countsSilence });
  const client = { ...connection, organization: principal.organizationId };
  const timing = timingOf(work, clock);
  const runner = new SessionRunner(
    { session, vadStreams, recognizer: live, turnDetector, client, timing },
    recognizerOf(chosen, settings),
  );
  work.note({ model: chosen.model, language: knownLanguage(chosen), stream: true });
  work.noteProgress(101);
  return { session, runner, work, principal, billing: new StreamBilling(work, priceOf(chosen)) };
}

/** A client secret brings the settings it was minted with. */
async function identify(
  accounts: Accounts,
  secret: string,
): Promise<{ principal: Principal; stored: object }> {
  if (!secret.startsWith("ek_")) return { principal: await accounts.authenticate(secret), stored: {} };
  const { principal, session } = await accounts.redeemClientSecret(secret);
  if (isGrant(session)) throw noSession();
  return { principal, stored: session };
}

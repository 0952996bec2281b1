/**
 * A live transcription whose client speaks a dialect: opened, metered and charged as every session, with the dialect's
 * front for its events.
 */

import type { LiveFormat } from "../../engine/protocol/live-format.ts";
import { type Refusal, unlessRefused } from "../../errors.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import { type ChosenRecognition, chooseRealtime } from "../../models/choose.ts";
import type { Front } from "../../realtime/front.ts";
import { Outbox } from "../../realtime/outbox.ts";
import { DEFAULTS, type Settings } from "../../realtime/settings.ts";
import type { CallProtocol, ClientMessage } from "../v1/realtime/call-protocol.ts";
import type { EventContext, LiveSession } from "../v1/realtime/live-session.ts";
import { admit, begin } from "../v1/realtime/open-session.ts";
import { priceOf, recognizerOf } from "../v1/realtime/settings-schema.ts";

/** What a client asks of its session. `keywords`: words to prefer, where the engine can. */
export type LiveRequest = {
  model: string | null;
  language: string | null;
  languages: readonly string[];
  keywords: readonly string[];
  format: LiveFormat;
  turns: Turns;
};

export type Turns = NonNullable<Settings["turnDetection"]>;

/** The silence that ends a turn of which its client does not ask that it ends: what was said until then is transcribed. */
export const UNASKED_SILENCE_MS = 1500;
/** Shorter gaps are heard within fluent speech. */
const SILENCE_MIN_MS = 300;

export const turnsAfter = (silenceMs: number, threshold = 0.5): Turns => ({
  type: "server_vad",
  threshold,
  prefix_padding_ms: 300,
  silence_duration_ms: Math.max(SILENCE_MIN_MS, silenceMs),
});

/** What a front knows of its session. */
export type LiveIdentity = {
  requestId: string;
  sessionId: string;
  model: string;
  version: string;
  language: string;
  out: Outbox;
  /** Ends the session at once, for what failed. */
  end(refusal: Refusal): void;
};

export type Begun<F extends Front> = Pick<LiveSession, "session" | "runner" | "billing" | "principal"> & {
  front: F;
  chosen: ChosenRecognition;
  settings: Settings;
  /** As the session's was chosen. */
  choose(request: LiveRequest): ReturnType<typeof chooseLive>;
};

type Kind<F extends Front> = {
  request(): LiveRequest;
  front(identity: LiveIdentity): F;
  apply(begun: Begun<F>, message: ClientMessage, context: EventContext): Promise<void>;
} & Pick<LiveSession, "parse" | "answers" | "forgives">;

export const openLive =
  <F extends Front>({ request, front, apply, ...reading }: Kind<F>): CallProtocol["open"] =>
  async (deps, opening, connection) => {
    const admitted = await admit(deps, opening, connection);
    const catalogueOf = () => deps.catalogueFor(admitted.principal);
    const choose = (wanted: LiveRequest) => chooseLive(catalogueOf(), wanted);
    const { chosen, settings } = settle(catalogueOf(), request());
    const out = new Outbox(admitted.sessionId);
    const end = (refusal: Refusal) => begun.runner.perform(begun.session.endNow(refusal));
    const written = front({
      ...{ requestId: opening.id, sessionId: admitted.sessionId, out, end },
      ...{ model: chosen.model, version: chosen.manifest.version, language: chosen.assumedLanguage },
    });
    const begun = begin(deps, admitted, { settings, chosen, front: written, out });
    const live: Begun<F> = { ...begun, front: written, chosen, settings, choose };
    return {
      ...{ ...begun, ...reading },
      apply: (message, context) => apply(live, message, context),
      settled: async () => {},
    };
  };

type Settled = { chosen: ChosenRecognition; settings: Settings };

function settle(catalogue: Catalogue, request: LiveRequest): Settled {
  const { chosen, keywords } = chooseLive(catalogue, request);
  const { format, turns, language, languages } = request;
  const transcription = {
    ...{ model: chosen.model, language, languages: [...languages] },
    ...{ prompt: "", keywords },
  };
  return { chosen, settings: { ...DEFAULTS, format, transcription, turnDetection: turns } };
}

/** What a client asks of a session that is open already, before its first audio. */
export async function changeLive<F extends Front>(
  begun: Begun<F>,
  catalogue: Catalogue,
  request: LiveRequest,
): Promise<void> {
  const { session, runner, billing } = begun;
  const { chosen, settings } = settle(catalogue, request);
  await billing.change(priceOf(chosen), session.billableSeconds(false));
  Object.assign(begun, { chosen, settings });
  runner.recognizer = recognizerOf(chosen, settings);
  runner.perform(session.update(settings, chosen.assumedLanguage, ""));
}

/** Keywords are left out where no engine prefers them: clients send them unasked. */
export function chooseLive(
  catalogue: Catalogue,
  { model, language, languages, keywords }: LiveRequest,
): { chosen: ChosenRecognition; keywords: string[] } {
  const request = { model, language, languages, transcribes: true };
  const preferring =
    keywords.length > 0 && unlessRefused(() => chooseRealtime(catalogue, { ...request, keywords: true }));
  if (preferring) return { chosen: preferring, keywords: [...keywords] };
  return { chosen: chooseRealtime(catalogue, request), keywords: [] };
}

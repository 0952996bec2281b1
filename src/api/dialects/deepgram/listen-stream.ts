/** GET /v1/listen: the socket of a live transcription. A key and a query that are wrong refuse the upgrade. */
import { Elysia } from "elysia";
import type { Clock } from "../../../clock.ts";
import type { ServerEvent } from "../../../realtime/events.ts";
import { Call } from "../../v1/realtime/call.ts";
import type { CallProtocol, ClientMessage } from "../../v1/realtime/call-protocol.ts";
import { closeCode, isHarmless } from "../../v1/realtime/socket-errors.ts";
import type { DialectServices } from "../dialect.ts";
import { callDeps, liveOpening, principalOf } from "../live-opening.ts";
import {
  type Begun,
  chooseLive,
  type LiveRequest,
  openLive,
  turnsAfter,
  UNASKED_SILENCE_MS,
} from "../live-session.ts";
import { Query } from "../query.ts";
import type { RawAudio } from "../raw-audio.ts";
import { AudioStream } from "./audio-stream.ts";
import { socketSecret } from "./deepgram-key.ts";
import {
  audioBytesIn,
  commit,
  feed,
  formatAtFirst,
  KEYTERMS_MAX,
  layoutIn,
  readFrame,
  unreadable,
} from "./listen-frames.ts";
import { ListenFront, type StreamOptions } from "./listen-front.ts";
import { readListenQuery } from "./listen-query.ts";
import { seconds } from "./results.ts";
import { errorMessage } from "./stream-errors.ts";

const ENDPOINT = "/deepgram/v1/listen";

export const listenStream = (services: DialectServices) =>
  new Elysia().get(
    ENDPOINT,
    services.sockets.handle(async (request, caller) => {
      const { secret, protocol } = socketSecret(request);
      const principal = await principalOf(services.accounts, secret());
      const stream = readStream(new Query(request));
      if (principal) chooseLive(services.catalogueFor(principal), stream.live);
      const opening = liveOpening(request, caller, { endpoint: ENDPOINT, secret });
      const deps = callDeps(services, listenProtocol(stream, caller.id, services.clock));
      return {
        protocol,
        headers: { "dg-request-id": caller.id },
        connect: (socket) => new Call(deps, opening, socket),
      };
    }),
    { detail: { hide: true } },
  );

type Stream = { live: LiveRequest; layout: RawAudio | null; options: StreamOptions };

const USED = ["endpointing", "interim_results", "vad_events", "utterance_end_ms"];
const FLAGS = ["true", "false"];

function readStream(query: Query): Stream {
  const { style, model, language, languages, prefer } = readListenQuery(query, USED);
  const layout = layoutIn(query);
  const utteranceEndMs = query.number("utterance_end_ms", { min: 0, max: 60_000 });
  const endpointing = endpointingIn(query);
  const silenceMs = endpointing ?? Math.min(UNASKED_SILENCE_MS, utteranceEndMs ?? UNASKED_SILENCE_MS);
  return {
    layout,
    live: {
      ...{ model, language, languages, keywords: prefer, turns: turnsAfter(silenceMs) },
      format: formatAtFirst(layout),
    },
    options: {
      style,
      interimResults: query.flag("interim_results"),
      vadEvents: query.flag("vad_events"),
      endpointing: endpointing !== null,
      utteranceEndMs,
    },
  };
}

/** Milliseconds, or false; null: pauses do not end turns. */
function endpointingIn(query: Query): number | null {
  const said = query.text("endpointing")?.toLowerCase() ?? "true";
  if (FLAGS.includes(said)) return query.flagOrNull("endpointing") === false ? null : 0;
  return query.number("endpointing", { min: 0, max: 60_000 });
}

type State = { begun: Begun<ListenFront> | null; isDone: boolean };

function listenProtocol({ live, layout, options }: Stream, requestId: string, clock: Clock): CallProtocol {
  const state: State = { begun: null, isDone: false };
  const audio = new AudioStream(layout);
  const created = new Date(clock.now()).toISOString();
  return {
    open: openLive<ListenFront>({
      request: () => live,
      front: (identity) => new ListenFront(identity, options),
      async apply(begun, message, context) {
        state.begun = begun;
        if (message.type === "audio") return feed(begun, audio, { bytes: message.bytes as Buffer, context });
        return obey(begun, message, state);
      },
      parse: readFrame,
      answers: (type) => type === "Results",
      forgives: (refusal) => refusal.code === "invalid_event" || isHarmless(refusal),
    }),
    audioBytes: async (frame) => audioBytesIn(frame, layout),
    refused: errorMessage,
    write: (event) => JSON.stringify(event),
    closing(refusal) {
      const duration = seconds(state.begun?.session.receivedSeconds ?? 0);
      const code = refusal === null && state.isDone ? 1000 : closeCode(refusal);
      return {
        code,
        reason: refusal?.code ?? "",
        ...(refusal === null && {
          last: {
            ...{ type: "Metadata", transaction_key: "deprecated", request_id: requestId, sha256: "" },
            ...{ created, duration, channels: 1 },
          },
        }),
      };
    },
  };
}

async function obey(
  begun: Begun<ListenFront>,
  { type, ...fields }: ClientMessage,
  state: State,
): Promise<void> {
  const { session, runner, front } = begun;
  if (type === "KeepAlive") return;
  await runner.drained();
  if (session.isEnding) return;
  switch (type) {
    case "Finalize":
      return runner.step(() => front.finalize(() => commit(begun)));
    case "CloseStream":
      state.isDone = true;
      return runner.perform(session.close(true));
    case "Configure":
      return runner.step(() => front.tell(configured(begun, fields)));
    default:
      throw unreadable(`has an unknown type: ${type.slice(0, 100)}`);
  }
}

/** Only the words to prefer may change, where the engine prefers any. */
function configured(
  { runner, chosen }: Begun<ListenFront>,
  { keyterms }: Record<string, unknown>,
): ServerEvent {
  if (keyterms === undefined || keyterms === null) return { type: "ConfigureSuccess" };
  const isList = Array.isArray(keyterms) && keyterms.every((term) => typeof term === "string");
  if (!isList || keyterms.length > KEYTERMS_MAX || keyterms.some(({ length }) => length > KEYTERMS_MAX))
    return failure("KEYTERM_LIMIT_EXCEEDED", `keyterms must be a list of at most ${KEYTERMS_MAX} words`);
  if (!chosen.keywords)
    return failure("KEYTERMS_NOT_SUPPORTED", "The model of this stream does not prefer words.");
  runner.recognizer = { ...runner.recognizer, keywords: keyterms };
  return { type: "ConfigureSuccess", keyterms };
}

const failure = (code: string, description: string): ServerEvent => ({
  type: "ConfigureFailure",
  code: `CONFIGURE_${code}`,
  description,
});

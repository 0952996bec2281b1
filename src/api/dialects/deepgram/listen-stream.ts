/** GET /v1/listen: the socket of a live transcription. A key and a query that are wrong refuse the upgrade. */
import { Elysia } from "elysia";
import { parseJson } from "../../../bounded-json.ts";
import type { Clock } from "../../../clock.ts";
import { invalidInput, Refusal } from "../../../errors.ts";
import type { ServerEvent } from "../../../realtime/events.ts";
import type { Frame } from "../../sockets/frame-queue.ts";
import { Call } from "../../v1/realtime/call.ts";
import type { CallProtocol, ClientMessage } from "../../v1/realtime/call-protocol.ts";
import { appendPieces } from "../../v1/realtime/client-events.ts";
import type { EventContext } from "../../v1/realtime/live-session.ts";
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
import { Query, unsupported } from "../query.ts";
import type { RawAudio } from "../raw-audio.ts";
import { AudioStream, formatOf } from "./audio-stream.ts";
import { socketSecret } from "./deepgram-key.ts";
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
      if (principal) chooseLive(services.catalogueFor(principal.plan), stream.live);
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

const ENCODINGS = [
  "linear16",
  "linear32",
  "mulaw",
  "alaw",
  "flac",
  "opus",
  "ogg-opus",
  "speex",
  "g729",
  "amr-nb",
  "amr-wb",
];
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
      format: layout ? formatOf(layout) : { type: "audio/pcm", rate: 16_000 },
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

function layoutIn(query: Query): RawAudio | null {
  const encoding = query.oneOf("encoding", ENCODINGS);
  if (encoding === null) return null;
  if (encoding !== "linear16" && encoding !== "mulaw" && encoding !== "alaw")
    throw unsupported("encoding", `${encoding} is not read from streams. Send linear16, mulaw or alaw.`);
  const sampleRate = query.whole("sample_rate", { min: 1, max: 768_000 });
  if (sampleRate === null)
    throw invalidInput([{ field: "sample_rate", code: "required", message: "is required with an encoding" }]);
  return { encoding, sampleRate, channels: query.whole("channels", { min: 1, max: 8 }) ?? 1 };
}

const TEXT_MAX = 64 * 1024;

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
        if (message.type === "audio") return hear(begun, audio, { bytes: message.bytes as Buffer, context });
        return obey(begun, message, state);
      },
      parse: readFrame,
      answers: (type) => type === "Results",
      forgives: (refusal) => refusal.code === "invalid_event" || isHarmless(refusal),
    }),
    audioBytes: async (frame) =>
      typeof frame === "string" ? 0 : Math.floor(frame.length / (layout?.channels ?? 1)),
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

/** An empty binary frame ends the stream, as CloseStream does. */
function readFrame(frame: Frame): ClientMessage {
  if (typeof frame !== "string")
    return frame.length === 0 ? { type: "CloseStream" } : { type: "audio", bytes: frame };
  if (frame.length > TEXT_MAX) throw unreadable(`is longer than ${TEXT_MAX} characters`);
  const { value, problem } = parseJson(frame);
  if (problem !== null) throw unreadable(problem);
  const type = (value as { type?: unknown } | null)?.type;
  if (typeof type !== "string") throw unreadable("has no type");
  return value as ClientMessage;
}

const unreadable = (problem: string) => new Refusal("invalid_event", `The message ${problem}.`);

type Received = { bytes: Buffer; context: EventContext };

async function hear(
  begun: Begun<ListenFront>,
  stream: AudioStream,
  { bytes, context }: Received,
): Promise<void> {
  const { session, runner, front, settings } = begun;
  const { audio, found } = stream.push(bytes);
  if (found) {
    begun.settings = { ...settings, format: formatOf(found) };
    runner.perform(session.update(begun.settings, begun.chosen.assumedLanguage, ""));
  }
  if (audio && audio.length > 0) await appendPieces(begun, [audio], context);
  if (!session.isEnding)
    runner.step(() => front.heardUntil(session.receivedSeconds - runner.pendingSeconds()));
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

function commit({ session, runner }: Pick<Begun<ListenFront>, "session" | "runner">): void {
  try {
    runner.perform(session.commit());
  } catch (refusal) {
    if (!(refusal instanceof Refusal && isHarmless(refusal))) throw refusal; // what is open is too short to end yet
  }
}

const KEYTERMS_MAX = 100;

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

/**
 * GET /jambonz/transcribe, a socket: the speech of one call. A key and a model that are wrong refuse the upgrade.
 *
 *   start ─> samples … ─> stop ─>     <─ transcription, one for each turn, then it is closed
 */

import { Elysia } from "elysia";
import { parseJson } from "../../../bounded-json.ts";
import type { Word } from "../../../engine/protocol/recognition.ts";
import { Refusal } from "../../../errors.ts";
import type { ServerEvent } from "../../../realtime/events.ts";
import type { Utterance } from "../../../realtime/front.ts";
import type { Settings } from "../../../realtime/settings.ts";
import { joined } from "../../../transcription/transcript.ts";
import { bearer } from "../../middleware/caller.ts";
import { ignoredFieldsHeader } from "../../middleware/response-headers.ts";
import type { Frame } from "../../sockets/frame-queue.ts";
import { Call } from "../../v1/realtime/call.ts";
import type { CallProtocol, ClientMessage } from "../../v1/realtime/call-protocol.ts";
import { appendPieces } from "../../v1/realtime/frames.ts";
import type { EventContext } from "../../v1/realtime/live-session.ts";
import { closeCode, isHarmless } from "../../v1/realtime/socket-errors.ts";
import type { DialectServices } from "../dialect.ts";
import { LiveFront, type Pending } from "../live-front.ts";
import { callDeps, liveOpening, principalOf } from "../live-opening.ts";
import {
  type Begun,
  changeLive,
  chooseLive,
  type LiveIdentity,
  type LiveRequest,
  openLive,
  turnsAfter,
} from "../live-session.ts";
import { Query } from "../query.ts";
import { errorMessage } from "./jambonz-errors.ts";
import { readStart } from "./recognition-start.ts";

const ENDPOINT = "/jambonz/transcribe";
const USED = ["model"];

export const callRecognition = (services: DialectServices) =>
  new Elysia().get(
    ENDPOINT,
    services.sockets.handle(async (request, caller) => {
      const secret = () => bearer(request.headers);
      const principal = await principalOf(services.accounts, secret());
      const query = new Query(request);
      const model = query.text("model");
      if (principal) chooseLive(services.catalogueFor(principal), unstarted(model));
      const opening = liveOpening(request, caller, { endpoint: ENDPOINT, secret });
      const deps = callDeps(services, recognitionProtocol(services, model));
      return {
        protocol: null,
        headers: ignoredFieldsHeader(query.names().filter((name) => !USED.includes(name))),
        connect: (socket) => new Call(deps, opening, socket),
      };
    }),
    { detail: { hide: true } }, // OpenAPI cannot describe a socket
  );

/** Until it is told what to hear. */
const unstarted = (model: string | null): LiveRequest => ({
  ...{ model, language: null, languages: [], keywords: [] },
  ...{ format: { type: "audio/pcm", rate: 8000 }, turns: turnsAfter(0) },
});

const TEXT_MAX = 64 * 1024;

type State = { isStarted: boolean; isDone: boolean };
type Deps = Pick<DialectServices, "catalogueFor">;

function recognitionProtocol(deps: Deps, model: string | null): CallProtocol {
  const state: State = { isStarted: false, isDone: false };
  return {
    open: openLive<RecognitionFront>({
      request: () => unstarted(model),
      front: (identity) => new RecognitionFront(identity),
      async apply(begun, message, context) {
        if (message.type === "audio") return hear(begun, message.bytes as Buffer, { state, context });
        await begun.runner.drained();
        if (begun.session.isEnding) return;
        switch (message.type) {
          case "start":
            return start(deps, begun, { message, model, state });
          case "stop":
            state.isDone = true;
            return begun.runner.perform(begun.session.close(true));
          default:
            throw unreadable(
              `has an unknown type: ${message.type.slice(0, 100)}. Messages are start and stop`,
            );
        }
      },
      parse: readFrame,
      answers: (type) => type === "transcription",
      forgives: isHarmless,
    }),
    audioBytes: async (frame) => (typeof frame === "string" ? 0 : frame.length),
    refused: errorMessage,
    write: (event) => JSON.stringify(event),
    closing: (refusal) => ({
      code: refusal === null && state.isDone ? 1000 : closeCode(refusal),
      reason: refusal?.code ?? "closing",
    }),
  };
}

function readFrame(frame: Frame): ClientMessage {
  if (typeof frame !== "string") return { type: "audio", bytes: frame };
  if (frame.length > TEXT_MAX) throw unreadable(`is longer than ${TEXT_MAX} characters`);
  const { value, problem } = parseJson(frame);
  if (problem !== null) throw unreadable(problem);
  if (typeof (value as { type?: unknown } | null)?.type !== "string") throw unreadable("has no type");
  return value as ClientMessage;
}

const unreadable = (problem: string) => new Refusal("invalid_event", `The message ${problem}.`);

type Appending = { state: State; context: EventContext };

async function hear(
  begun: Begun<RecognitionFront>,
  bytes: Buffer,
  { state, context }: Appending,
): Promise<void> {
  if (!state.isStarted)
    throw new Refusal("invalid_event", "Audio follows the message start, which says what it is.");
  if (bytes.length > 0) await appendPieces(begun, [bytes], context);
}

type Starting = { message: ClientMessage; model: string | null; state: State };

async function start(
  { catalogueFor }: Deps,
  begun: Begun<RecognitionFront>,
  { message, model, state }: Starting,
): Promise<void> {
  if (state.isStarted) throw new Refusal("invalid_event", "It was started already: open another connection.");
  const { live, language, interimResults } = readStart(message, model);
  begun.front.started({ language, interimResults });
  await changeLive(begun, catalogueFor(begun.principal), live);
  state.isStarted = true;
}

/** `language`: as it was named; null: the one that the model assumes. */
type Asked = { language: string | null; interimResults: boolean };

/** The messages of a recognition: what was heard so far, where it is asked for, and each turn once, when it is over. */
class RecognitionFront extends LiveFront {
  readonly #identity: LiveIdentity;
  #asked: Asked = { language: null, interimResults: false };
  #language: string;
  #lastText = "";

  constructor(identity: LiveIdentity) {
    super();
    this.#identity = identity;
    this.#language = identity.language;
  }

  started(asked: Asked): void {
    this.#asked = asked;
  }

  override updated(_settings: Settings, language: string): void {
    this.#language = this.#asked.language ?? language;
  }

  protected changed({ words, tentative }: Pending): void {
    const heard = [...words, ...tentative];
    const text = joined(heard);
    if (!this.#asked.interimResults || text === "" || text === this.#lastText) return;
    this.#lastText = text;
    this.#tell(heard, false);
  }

  /** One that is empty would end a `gather` without speech. */
  protected ended({ words }: Pending, { outcome }: Utterance): void {
    this.#lastText = "";
    if (outcome instanceof Refusal) this.refused(outcome);
    if (words.length > 0) this.#tell(words, true);
  }

  refused(refusal: Refusal): void {
    this.#send(errorMessage(refusal, this.#identity.requestId));
  }

  #tell(words: readonly Word[], isFinal: boolean): void {
    const alternatives = [{ transcript: joined(words), confidence: confidenceOf(words) }];
    const language = this.#language;
    this.#send({ type: "transcription", is_final: isFinal, alternatives, language, channel: 1 });
  }

  #send(event: ServerEvent): void {
    this.#identity.out.add({ do: "send", event });
  }
}

/** The mean of its words, in thousandths. */
function confidenceOf(words: readonly Word[]): number {
  const sum = words.reduce((total, { confidence }) => total + confidence, 0);
  return Math.round(Math.min(1, Math.max(0, sum / words.length)) * 1000) / 1000;
}

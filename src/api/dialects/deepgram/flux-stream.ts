/** GET /v2/listen: the socket of Flux, which tells where turns begin and end. A key and a query that are wrong refuse the upgrade. */
import { Elysia } from "elysia";
import { ignoredFieldsHeader } from "../../middleware/response-headers.ts";
import { Call } from "../../v1/realtime/call.ts";
import type { CallProtocol, ClientMessage } from "../../v1/realtime/call-protocol.ts";
import { closeCode } from "../../v1/realtime/socket-errors.ts";
import type { DialectServices } from "../dialect.ts";
import { callDeps, liveOpening, principalOf } from "../live-opening.ts";
import { type Begun, chooseLive, openLive } from "../live-session.ts";
import { Query } from "../query.ts";
import { AudioStream } from "./audio-stream.ts";
import { socketSecret } from "./deepgram-key.ts";
import { configure } from "./flux-configure.ts";
import { FluxFront } from "./flux-front.ts";
import { type FluxRequest, liveRequest, readFluxQuery } from "./flux-query.ts";
import { audioBytesIn, commit, feed, readFrame, unreadable } from "./listen-frames.ts";
import { fluxError } from "./stream-errors.ts";

const ENDPOINT = "/deepgram/v2/listen";

export const fluxStream = (services: DialectServices) =>
  new Elysia().get(
    ENDPOINT,
    services.sockets.handle(async (request, caller) => {
      const { secret, protocol } = socketSecret(request);
      const principal = await principalOf(services.accounts, secret());
      const asked = readFluxQuery(new Query(request));
      if (principal) chooseLive(services.catalogueFor(principal), liveRequest(asked));
      const opening = liveOpening(request, caller, { endpoint: ENDPOINT, secret });
      const deps = callDeps(services, fluxProtocol(asked));
      return {
        protocol,
        headers: { "dg-request-id": caller.id, ...ignoredFieldsHeader(asked.ignored) },
        connect: (socket) => new Call(deps, opening, socket),
      };
    }),
    { detail: { hide: true } },
  );

type State = { request: FluxRequest; isDone: boolean };

function fluxProtocol(request: FluxRequest): CallProtocol {
  const state: State = { request, isDone: false };
  const { layout } = request;
  const audio = new AudioStream(layout);
  let sequence = 0;
  return {
    open: openLive<FluxFront>({
      request: () => liveRequest(request),
      front: (identity) => new FluxFront(identity, () => state.request.options),
      async apply(begun, message, context) {
        if (message.type === "audio") return feed(begun, audio, { bytes: message.bytes as Buffer, context });
        return obey(begun, message, state);
      },
      parse: readFrame,
      answers: (type) => type === "TurnInfo",
      forgives: () => false,
    }),
    audioBytes: async (frame) => audioBytesIn(frame, layout),
    refused: fluxError,
    write: (event) => JSON.stringify({ ...event, sequence_id: sequence++ }),
    closing: (refusal) => ({
      code: refusal === null && state.isDone ? 1000 : closeCode(refusal),
      reason: refusal?.code ?? "",
    }),
  };
}

async function obey(
  begun: Begun<FluxFront>,
  { type, ...fields }: ClientMessage,
  state: State,
): Promise<void> {
  const { session, runner } = begun;
  if (type === "KeepAlive") return;
  await runner.drained();
  if (session.isEnding) return;
  switch (type) {
    case "ForceEndTurn":
      return commit(begun);
    case "CloseStream":
      state.isDone = true;
      return runner.perform(session.close(true));
    case "Configure":
      state.request = await configure(begun, state.request, fields);
      return;
    default:
      throw unreadable(`has an unknown type: ${type.slice(0, 100)}`);
  }
}

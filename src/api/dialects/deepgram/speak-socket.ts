/** GET /v1/speak of Deepgram, which becomes a socket. Refusals are told on it, because browsers cannot read a failed upgrade. */
import { Elysia } from "elysia";
import { speechNamed } from "../../../models/default-speech.ts";
import { TransientSet } from "../../../transient.ts";
import { ignoredFieldsHeader } from "../../middleware/response-headers.ts";
import type { SpeechSocketDeps } from "../speech-session.ts";
import { SpeechSocket } from "../speech-socket.ts";
import { socketSecret } from "./deepgram-key.ts";
import { LiveSpeech } from "./live-speech.ts";
import { readLiveQuery, unusedIn } from "./speech-query.ts";

const ENDPOINT = "/deepgram/v1/speak";

export const speakSocket = (deps: SpeechSocketDeps) =>
  new Elysia().get(
    ENDPOINT,
    deps.sockets.handle((request, caller) => {
      const query = new URL(request.url).searchParams;
      const { secret: secretOf, protocol } = socketSecret(request);
      return {
        protocol,
        headers: ignoredFieldsHeader(unusedIn(query)),
        connect(socket) {
          const dialect = new LiveSpeech({ secretOf, speed: () => readLiveQuery(query).speed });
          const choice = () => choiceOf(query);
          const opening = {
            ...caller,
            request,
            endpoint: ENDPOINT,
            choice,
            dialect,
            anonymous: new TransientSet<never>(),
          };
          return new SpeechSocket(deps, opening, socket);
        },
      };
    }),
    { detail: { hide: true } }, // OpenAPI cannot describe a socket
  );

function choiceOf(query: URLSearchParams) {
  const { name, speed, format } = readLiveQuery(query);
  const named: (...asked: Asked) => ReturnType<typeof speechNamed> = (catalogue, ownVoice) =>
    speechNamed(catalogue, { name, ownVoice, language: null });
  return { voice: name, language: null, speed, format, named };
}

type Asked = [Parameters<typeof speechNamed>[0], Parameters<typeof speechNamed>[1]["ownVoice"]];

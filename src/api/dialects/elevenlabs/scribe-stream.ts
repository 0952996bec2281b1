/** GET /v1/speech-to-text/realtime: the socket of a live transcription. Whatever is wrong with it is told on the socket. */

import { Elysia } from "elysia";
import type { LiveFormat } from "../../../engine/protocol/live-format.ts";
import { Refusal } from "../../../errors.ts";
import { languageHint } from "../../../language-tag.ts";
import { PROMPT_CHARACTERS_MAX } from "../../../metered/request-limits.ts";
import type { Frame } from "../../sockets/frame-queue.ts";
import { Call } from "../../v1/realtime/call.ts";
import type { CallProtocol, ClientMessage } from "../../v1/realtime/call-protocol.ts";
import { appendAudio, decodeAudio, parseFrame, sizeOf } from "../../v1/realtime/frames.ts";
import type { EventContext } from "../../v1/realtime/live-session.ts";
import { closeCode, isHarmless } from "../../v1/realtime/socket-errors.ts";
import type { DialectServices } from "../dialect.ts";
import { callDeps, liveOpening } from "../live-opening.ts";
import { type Begun, type LiveRequest, openLive, turnsAfter, UNASKED_SILENCE_MS } from "../live-session.ts";
import { Query } from "../query.ts";
import { socketSecret } from "./elevenlabs-key.ts";
import { errorMessage } from "./scribe-errors.ts";
import { ScribeFront, type ScribeOptions } from "./scribe-front.ts";

const ENDPOINT = "/elevenlabs/v1/speech-to-text/realtime";

export const scribeStream = (services: DialectServices) =>
  new Elysia().get(
    ENDPOINT,
    services.sockets.handle((request, caller) => {
      const opening = liveOpening(request, caller, {
        endpoint: ENDPOINT,
        secret: () => socketSecret(request),
      });
      const deps = callDeps(services, scribeProtocol(request));
      return { protocol: null, connect: (socket) => new Call(deps, opening, socket) };
    }),
    { detail: { hide: true } },
  );

const FORMATS = [
  "pcm_8000",
  "pcm_16000",
  "pcm_22050",
  "pcm_24000",
  "pcm_44100",
  "pcm_48000",
  "ulaw_8000",
] as const;
const STRATEGIES = ["manual", "vad"] as const;
const PAUSE_SECONDS = 1.5;

/** What would change the text. */
const REFUSED: Record<string, string> = {
  entity_redaction: "nothing is removed from a transcript.",
  no_verbatim: "transcripts are as they were heard.",
  transcript_edit: "transcripts are as they were heard.",
};

function readStream(request: Request): { live: LiveRequest; options: ScribeOptions } {
  const query = new Query(request);
  query.refuse(REFUSED);
  const audioFormat = query.oneOf("audio_format", FORMATS) ?? "pcm_16000";
  const strategy = query.oneOf("commit_strategy", STRATEGIES) ?? "manual";
  const threshold = query.number("vad_threshold", { min: 0, max: 1 }) ?? undefined;
  const pause = query.number("vad_silence_threshold_secs", { min: 0, max: 60 }) ?? PAUSE_SECONDS;
  const commitsAtPauses = strategy === "vad";
  const language = languageHint(query.text("language_code"));
  const others = query.list("secondary_languages");
  const tellsTimes = query.flag("include_timestamps");
  return {
    live: {
      model: query.text("model_id"),
      ...(others.length > 0 && language
        ? { language: null, languages: [language, ...others] }
        : { language, languages: [] }),
      keywords: query.list("keyterms"),
      format: formatNamed(audioFormat),
      turns: turnsAfter(commitsAtPauses ? pause * 1000 : UNASKED_SILENCE_MS, threshold),
    },
    options: {
      ...{ commitsAtPauses, tellsTimes, tellsLanguage: query.flag("include_language_detection") },
      config: {
        ...{ audio_format: audioFormat, sample_rate: rateOf(audioFormat), commit_strategy: strategy },
        ...{ language_code: language, include_timestamps: tellsTimes, vad_silence_threshold_secs: pause },
      },
    },
  };
}

type AudioFormat = (typeof FORMATS)[number];
const rateOf = (format: AudioFormat): number => Number(format.split("_")[1]);
const formatNamed = (format: AudioFormat): LiveFormat =>
  format === "ulaw_8000" ? { type: "audio/pcmu" } : { type: "audio/pcm", rate: rateOf(format) };

function scribeProtocol(request: Request): CallProtocol {
  let stream: ReturnType<typeof readStream> | null = null;
  const asked = () => {
    stream ??= readStream(request);
    return stream;
  };
  return {
    open: openLive<ScribeFront>({
      request: () => asked().live,
      front: (identity) => new ScribeFront(identity, asked().options),
      apply: obey,
      parse: readChunk,
      answers: (type) => /_transcript/.test(type),
      forgives: isHarmless,
    }),
    audioBytes: bytesIn,
    refused: errorMessage,
    write: ({ type, ...fields }) => JSON.stringify({ message_type: type, ...fields }),
    closing: (refusal) => ({ code: closeCode(refusal), reason: refusal?.code ?? "closing" }),
  };
}

const CHUNK = "input_audio_chunk";
const TEXT_MAX = 64 * 1024;
const AUDIO = {
  type: CHUNK,
  typeField: "message_type",
  audioField: "audio_base_64",
  opening: /"audio_base_64"\s*:\s*"/,
};

const readChunk = (frame: Frame): ClientMessage => parseFrame(frame, TEXT_MAX, AUDIO);

async function bytesIn(frame: Frame): Promise<number> {
  try {
    const { audio_base_64: audio } = readChunk(frame);
    return typeof audio === "string" ? sizeOf(await decodeAudio(audio)) : 0;
  } catch {
    return 0;
  }
}

async function obey(begun: Begun<ScribeFront>, message: ClientMessage, context: EventContext): Promise<void> {
  const { session, runner, front } = begun;
  const { message_type: type, audio_base_64: audio = "", commit, previous_text: before } = message;
  if (type !== CHUNK) throw new Refusal("invalid_event", `The message_type must be ${CHUNK}.`);
  if (typeof audio !== "string") throw new Refusal("invalid_event", "audio_base_64 must be text in base64.");
  if (typeof before === "string" && session.receivedSeconds === 0)
    runner.recognizer = { ...runner.recognizer, prompt: before.slice(0, PROMPT_CHARACTERS_MAX) };
  if (audio !== "") await appendAudio(begun, audio, context);
  if (commit !== true) return;
  await runner.drained();
  if (session.isEnding) return;
  runner.step(() => front.commit(() => end(begun)));
}

function end({ session, runner }: Pick<Begun<ScribeFront>, "session" | "runner">): void {
  try {
    runner.perform(session.commit());
  } catch (refusal) {
    if (!(refusal instanceof Refusal && isHarmless(refusal))) throw refusal; // what is open is too short to end yet
  }
}

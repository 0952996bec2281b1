/**
 * POST /dev/captioned_speech: a clip and the times of its words as one JSON object, with the path and the names of
 * Kokoro-FastAPI, whose clients read captions this way.
 *
 *   { "audio_format": "audio/wav", "timestamps": [{ "word", "start_time", "end_time" }], "audio": "<base64>" }
 *
 * With `caption_format`, which is of Loquat alone, `captions` is the text of a file of subtitles.
 *
 * The whole clip is made first, so every format and speed of the model is accepted; its base64 is written while it is sent.
 */
import Type from "typebox";
import { withoutNulls } from "../../bounded-json.ts";
import { invalidInput } from "../../errors.ts";
import { checker } from "../../schema.ts";
import type { Script } from "../../speech/script/script.ts";
import { captionsOf } from "../../speech/words/captions.ts";
import type { WordTime } from "../../speech/words/timeline.ts";
import { srt, vtt } from "../../transcription/subtitles.ts";
import { withBase64 } from "../middleware/stream.ts";
import { CHARGED_ONCE_HEADERS, IDEMPOTENCY_KEY } from "../openapi/charged-once.ts";
import { IGNORED_HEADER, LIMIT_HEADERS, operation } from "../openapi/operation.ts";
import { parseSpeechRequest, SPEECH_REFUSALS, SpeechBody, type SpeechRequest } from "./speech-request.ts";

export const CAPTIONED_PATH = "/dev/captioned_speech";

/** What would stream has no effect: those clients ask for it by default, and read one object as the last of many. */
const STREAMING = ["stream", "stream_format"];
/** Whether times are returned is a field there; here it is the route. */
const TIMING = ["return_timing", "return_timestamps"];

const SUBTITLES = { vtt, srt };

const CaptionOptions = Type.Object({
  caption_format: Type.Optional(
    Type.Enum(["vtt", "srt"], {
      description: "Adds captions to the answer: subtitles of input, to be saved beside the clip.",
    }),
  ),
});
const captionOptions = checker(CaptionOptions);

export function parseCaptionedRequest(body: unknown): SpeechRequest {
  const { ignored, ...request } = parseSpeechRequest(body);
  const { value, details } = captionOptions.check(withoutNulls(body));
  if (details !== null) throw invalidInput(details);
  return {
    ...request,
    streaming: false,
    sse: false,
    wordTimes: true,
    captioned: { subtitles: value.caption_format ?? null },
    ignored: [
      ...ignored.filter((name) => !TIMING.includes(name) && name !== "caption_format"),
      ...(request.streaming ? STREAMING.slice(0, 1) : []),
    ],
  };
}

/** `subtitles`: the format of the captions; null: none. `script`: of the text. */
type Captioning = {
  mediaType: string;
  words: readonly WordTime[];
  subtitles: "vtt" | "srt" | null;
  script: Script;
};

/** As a member of the answer; marks of the text are no words. */
function captions({ words, subtitles, script }: Captioning): { captions?: string } {
  return subtitles ? { captions: SUBTITLES[subtitles]({ segments: captionsOf(script.visible, words) }) } : {};
}

export function captionedJson(
  chunks: AsyncGenerator<Uint8Array, unknown>,
  captioning: Captioning,
): AsyncGenerator<Uint8Array> {
  const { mediaType, words } = captioning;
  const document = { audio_format: mediaType, timestamps: words, ...captions(captioning) };
  return withBase64(document, "audio", chunks);
}

const Captioned = Type.Object({
  audio: Type.String({ description: "The clip, as base64." }),
  audio_format: Type.String({ description: "Its media type." }),
  timestamps: Type.Array(
    Type.Object({
      word: Type.String({ description: "As it is written in input." }),
      start_time: Type.Number({ description: "Seconds from the start of the clip." }),
      end_time: Type.Number(),
    }),
  ),
  captions: Type.Optional(
    Type.String({ description: "Where caption_format asks for them: the text of a file of subtitles." }),
  ),
});

export const captionedDocument = operation({
  id: "createCaptionedSpeech",
  summary: "Create speech with the times of its words",
  description: "As clients of Kokoro-FastAPI ask for it. The path is below the server's root, not below /v1.",
  tag: "Audio",
  access: "key",
  headers: [IDEMPOTENCY_KEY],
  body: {
    required: true,
    content: {
      "application/json": {
        schema: Type.Object({
          ...Type.Omit(SpeechBody, [...STREAMING, "return_timing"]).properties,
          ...CaptionOptions.properties,
        }),
        example: { model: "svc-tts1", voice: "female-warm", input: "Good morning." },
      },
    },
  },
  ok: {
    description: "The clip and its words.",
    headers: { ...LIMIT_HEADERS, ...IGNORED_HEADER, ...CHARGED_ONCE_HEADERS },
    content: { "application/json": { schema: Captioned } },
  },
  refusals: SPEECH_REFUSALS,
});

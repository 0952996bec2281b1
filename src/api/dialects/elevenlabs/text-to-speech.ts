/**
 * POST /v1/text-to-speech/{voice_id} of ElevenLabs: speech, sent while it is made, as bytes or with the times of its
 * characters.
 *
 *   /                         bytes             /with-timestamps          one JSON object
 *   /stream                   bytes             /stream/with-timestamps   a JSON object a line
 */
import { Elysia } from "elysia";
import { type ClipFormat, mediaTypeOf } from "../../../audio/formats.ts";
import { type MeteredClip, type MeteredUtterance, speak, speakWhole } from "../../../metered/speech.ts";
import { modelSpeaking } from "../../../models/default-speech.ts";
import { readJson } from "../../middleware/body/body.ts";
import { ignoredFieldsHeader } from "../../middleware/response-headers.ts";
import { byteStream, withBase64 } from "../../middleware/stream.ts";
import { endingOf, type SpeechDeps, utteranceOf } from "../dialect-speech.ts";
import { Alignment, alignmentOf } from "./alignment.ts";
import { readSpeechBody } from "./speech-fields.ts";

const ROUTE = {
  endpoint: "/elevenlabs/v1/text-to-speech",
  scope: "speech:create",
  bucket: "characters",
} as const;

type Call = { request: Request; set: { headers: Record<string, string | number> }; voice: string };
type Speech = { id: string; utterance: MeteredUtterance; format: ClipFormat };
type Answer = (deps: SpeechDeps, speech: Speech) => Promise<Response>;

export function textToSpeech(deps: SpeechDeps) {
  const answering = (answer: Answer) => (call: Call) => speech(deps, call, answer);
  const [bytes, stream] = [answering(inFile), answering(inBytes)];
  const [aligned, alignedLines] = [answering(inObject), answering(inLines)];
  const options = { parse: "none", detail: { hide: true } } as const;
  const path = "/elevenlabs/v1/text-to-speech/:voice_id";
  return new Elysia()
    .post(path, ({ request, set, params }) => bytes({ request, set, voice: params.voice_id }), options)
    .post(
      `${path}/stream`,
      ({ request, set, params }) => stream({ request, set, voice: params.voice_id }),
      options,
    )
    .post(
      `${path}/with-timestamps`,
      ({ request, set, params }) => aligned({ request, set, voice: params.voice_id }),
      options,
    )
    .post(
      `${path}/stream/with-timestamps`,
      ({ request, set, params }) => alignedLines({ request, set, voice: params.voice_id }),
      options,
    );
}

function speech(deps: SpeechDeps, { request, set, voice }: Call, answer: Answer): Promise<Response> {
  return deps.metered({ request, set }, ROUTE, async (admitted) => {
    const body = await readJson(request, deps.timeouts);
    const query = new URL(request.url).searchParams;
    const { ignored, model, ...asked } = readSpeechBody(body, query);
    const utterance = await utteranceOf(deps, admitted, {
      ...asked,
      voice,
      named: (catalogue, ownVoice) => ({
        voice,
        model: model ?? modelSpeaking(catalogue, { voice, ownVoice, language: asked.language }),
      }),
      streaming: answer !== inObject,
      body: [body, [...query]],
    });
    const { id } = admitted;
    const cost = String(utterance.read.characters);
    Object.assign(set.headers, ignoredFieldsHeader(ignored), { "request-id": id, "character-cost": cost });
    return answer(deps, { id, utterance, format: asked.format });
  });
}

/** WAV is complete before its first byte, which then tells its length. */
async function inFile(deps: SpeechDeps, speech: Speech): Promise<Response> {
  const { id, utterance, format } = speech;
  if (format.format !== "wav") return inBytes(deps, speech);
  const { body, end } = await speakWhole(deps, utterance, format);
  return byteStream(body.chunks(), {
    mediaType: mediaTypeOf(format),
    ...endingOf(deps, { id, utterance, end }),
  });
}

async function inBytes(deps: SpeechDeps, { id, utterance, format }: Speech): Promise<Response> {
  const clip = await speak(deps, utterance, { ...format, lengthFirst: false });
  return byteStream(clip.chunks, {
    mediaType: mediaTypeOf(format),
    ...endingOf(deps, { id, utterance, end: clip.end }),
  });
}

async function inObject(deps: SpeechDeps, { id, utterance, format }: Speech): Promise<Response> {
  const clip = await speakWhole(deps, utterance, { ...format, wordTimes: "where known" });
  const aligned = clip.isTimed ? wholeAlignment(utterance, clip) : null;
  const document = { alignment: alignmentOf(aligned), normalized_alignment: alignmentOf(aligned) };
  return byteStream(withBase64(document, "audio_base64", clip.body.chunks()), {
    mediaType: "application/json",
    ...endingOf(deps, { id, utterance, end: clip.end }),
  });
}

function wholeAlignment(
  { read }: MeteredUtterance,
  { words, audioSeconds }: Pick<Awaited<ReturnType<typeof speakWhole>>, "words" | "audioSeconds">,
) {
  const alignment = new Alignment(read.text, read.script.visible);
  const parts = [alignment.take(words), alignment.finish(audioSeconds)];
  return {
    characters: parts.flatMap((part) => part?.characters ?? []),
    starts: parts.flatMap((part) => part?.starts ?? []),
    ends: parts.flatMap((part) => part?.ends ?? []),
  };
}

async function inLines(deps: SpeechDeps, { id, utterance, format }: Speech): Promise<Response> {
  const options = { ...format, lengthFirst: false, wordTimes: "where known" } as const;
  const clip = await speak(deps, utterance, options);
  return byteStream(lines(clip, utterance), {
    mediaType: "application/json",
    ...endingOf(deps, { id, utterance, end: clip.end }),
  });
}

/** The last line has the characters behind the last word, and no audio. */
async function* lines(clip: MeteredClip, { read }: MeteredUtterance): AsyncGenerator<Uint8Array> {
  const alignment = clip.isTimed ? new Alignment(read.text, read.script.visible) : null;
  for await (const chunk of clip.chunks) yield line(chunk, alignment?.take(clip.words()) ?? null);
  const rest = alignment?.finish(clip.audioSeconds()) ?? null;
  if (rest) yield line(new Uint8Array(0), rest);
}

function line(audio: Uint8Array, aligned: Parameters<typeof alignmentOf>[0]): Uint8Array {
  const alignment = alignmentOf(aligned);
  const object = { audio_base64: Buffer.from(audio).toString("base64"), alignment };
  return Buffer.from(`${JSON.stringify({ ...object, normalized_alignment: alignment })}\n`);
}

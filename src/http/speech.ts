/**
 * POST /v1/audio/speech: text in, audio out, whole or as it is said.
 *
 *   key -> scope -> body -> catalogue -> engine        nothing before the engine costs anything
 */
import { Elysia } from "elysia";
import { type AudioFormat, MEDIA_TYPES } from "../audio/encode.ts";
import type { Catalogue } from "../catalog/catalogue.ts";
import { type ChosenSpeech, chooseSpeech } from "../catalog/choose.ts";
import type { Claim } from "../engine/queue.ts";
import type { Log } from "../log.ts";
import { type Clip, render, renderWhole, type Studio } from "../speech/render.ts";
import type { Utterance } from "../speech/say.ts";
import type { Access } from "./access.ts";
import { type Patience, readJson } from "./body.ts";
import { bodyDocument, readOrder, type SpeechOrder } from "./speech-body.ts";
import { byteStream, type Ending, event, eventStream, levelOf } from "./stream.ts";

export type SpeechParts = {
  access: Access;
  catalogue: Catalogue;
  studio: Studio;
  patience: Patience;
  log: Log;
};

export function speechRoute({ access, catalogue, studio, patience, log }: SpeechParts) {
  return new Elysia().post(
    "/v1/audio/speech",
    async ({ request, server, set }) => {
      server?.timeout(request, 0); // a long clip is silent until it is whole
      const principal = access(request, "speech:create");
      const order = readOrder(await readJson(request, patience));
      const chosen = chooseSpeech(catalogue, order);
      const id = set.headers["x-request-id"] as string;
      const utterance = utteranceOf(order, chosen, {
        urgency: order.streaming ? "streaming" : "batch",
        organization: principal.organizationId,
        request: id,
        signal: request.signal,
      });
      const { model } = chosen;
      const done = (ending: Ending, audioSeconds: number) =>
        log[levelOf(ending)]("speech", {
          id,
          key: principal.keyId,
          model,
          characters: order.characters,
          audioSeconds,
          ...ending,
        });
      return order.streaming
        ? streamed({ studio, utterance, chosen, done }, order, id)
        : whole({ studio, utterance, chosen, done });
    },
    { parse: "none", detail: bodyDocument },
  );
}

function utteranceOf(
  { text, language, speed, instructions }: SpeechOrder,
  { voice, manifest }: ChosenSpeech,
  claim: Claim,
): Utterance {
  return {
    family: voice.engine,
    speaker: voice.speaker,
    text,
    language: language ?? voice.locale,
    speed,
    instructions: manifest.speech.instructions ? instructions : "",
    claim,
  };
}

type Job = {
  studio: Studio;
  utterance: Utterance;
  chosen: ChosenSpeech;
  done: (ending: Ending, audioSeconds: number) => void;
};

async function whole({ studio, utterance, chosen, done }: Job): Promise<Response> {
  try {
    const { bytes, audioSeconds } = await renderWhole(studio, utterance, chosen.format);
    done({ status: 200 }, audioSeconds);
    return new Response(bytes, { headers: { "content-type": MEDIA_TYPES[chosen.format] } });
  } catch (reason) {
    if (utterance.claim.signal.aborted) done({ status: 499 }, 0);
    throw reason;
  }
}

async function streamed({ studio, utterance, chosen, done }: Job, order: SpeechOrder, id: string) {
  const { format, manifest } = chosen;
  const clip = await render(studio, utterance, { format, lengthFirst: manifest.speech.length_first });
  const end = (ending: Ending) => done(ending, clip.audioSeconds());
  return order.sse
    ? eventStream(speechEvents(clip, format, order.characters), id, end)
    : byteStream(clip.chunks, MEDIA_TYPES[format], end);
}

const DELTA_LIMIT = 32 * 1024; // bytes of audio in one event; even, so that a PCM delta holds whole samples
const TOKENS_PER_SECOND = 20; // stock clients want a token count; nothing is billed by it

async function* speechEvents(
  clip: Clip,
  format: AudioFormat,
  characters: number,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of clip.chunks) {
    for (let at = 0; at < chunk.length; at += DELTA_LIMIT) {
      const audio = Buffer.from(chunk.subarray(at, at + DELTA_LIMIT)).toString("base64");
      yield event("speech.audio.delta", { type: "speech.audio.delta", audio, response_format: format });
    }
  }
  const audioSeconds = Math.round(clip.audioSeconds() * 1000) / 1000;
  const output = Math.ceil(audioSeconds * TOKENS_PER_SECOND);
  yield event("speech.audio.done", {
    type: "speech.audio.done",
    usage: {
      input_tokens: characters,
      output_tokens: output,
      total_tokens: characters + output,
      characters,
      audio_seconds: audioSeconds,
    },
  });
}

/**
 * Speech of a text that is still being written, for a live client: texts come in as they are complete, and go out as sound,
 * each paid for before its first byte.
 *
 *   texts   t0  t1  t2            the next one is synthesized while one is sent
 *   sound   ██████│pause│█████
 *
 * A caller that leaves pays for the text under way if any of it was sent. What the server fails to deliver of it is given back.
 */

import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { Claim } from "../engine/claim.ts";
import { READ_ALOUD } from "../engine/protocol/signs.ts";
import type { LiveFormat } from "../engine/protocol/vad.ts";
import { spokenSeconds } from "../engine/speed/spoken-seconds.ts";
import { isLeft, Refusal } from "../errors.ts";
import type { ChosenSpeech } from "../models/choose.ts";
import { openLiveSound } from "../speech/live-sound.ts";
import { PAUSE_MS } from "../speech/plan.ts";
import { type Clip, render } from "../speech/synthesizer.ts";
import type { WordTime } from "../speech/words/timeline.ts";
import type { SpeechBilling } from "../usage/speech-billing.ts";
import type { OwnVoice } from "../voices/voices.ts";
import {
  type Pronunciations,
  type ReadText,
  readText,
  renderRequestOf,
  type SpeechServices,
  withOwnStyle,
} from "./speech.ts";

/** In order, of each text: it begins, its sound, it ends. `over` is the last. `words` null: they are not known. */
type SpokenPart =
  | { is: "began"; text: string; expectedMs: number; words: WordTime[] | null }
  | { is: "sound"; bytes: Uint8Array; ms: number }
  | { is: "ended"; words: WordTime[] | null }
  | { is: "over" };

export type StreamedSpeech = {
  /** The next text. */
  push(text: string): void;
  /** No text follows. */
  end(): void;
  /** Ending it early stops the engine. Throws the refusal of a text that cannot be paid for or spoken. */
  events: AsyncGenerator<SpokenPart>;
};

/** `language` null: the voice's own. `released`: until then the first text is synthesized, and nothing is sent or charged. */
type Speaking = {
  chosen: ChosenSpeech;
  ownVoice: OwnVoice | null;
  language: string | null;
  speed: number;
  format: LiveFormat;
  claim: Claim;
  billing: SpeechBilling;
  released: Promise<void>;
};

export type StreamedServices = SpeechServices & { pronunciations: Pronunciations };

const PIECE_MS = 100;
const PIECE_SAMPLES = (TTS_SAMPLE_RATE * PIECE_MS) / 1000;

/** A text that is being synthesized. `read` null: there is nothing in it to speak. */
type Ready = { text: string; read: ReadText | null; clip: Clip | null };

export function openStreamedSpeech(services: StreamedServices, speaking: Speaking): StreamedSpeech {
  const texts: string[] = [];
  let isEnded = false;
  let wake = () => {};
  const next = async (): Promise<string | null> => {
    while (texts.length === 0 && !isEnded)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return texts.shift() ?? null;
  };
  return {
    push(text) {
      texts.push(text);
      wake();
    },
    end() {
      isEnded = true;
      wake();
    },
    events: speakAll(services, speaking, next),
  };
}

async function* speakAll(
  services: StreamedServices,
  speaking: Speaking,
  next: () => Promise<string | null>,
): AsyncGenerator<SpokenPart> {
  const sound = openLiveSound(speaking.format);
  const prepareNext = async () => {
    const text = await next();
    return text === null ? null : prepare(services, speaking, text);
  };
  let coming = prepareNext();
  let pauseMs = 0;
  try {
    await coming;
    await speaking.released;
    for (let ready = await coming; ready !== null; ready = await coming) {
      if (isLeft(speaking.claim.signal)) return;
      coming = prepareNext();
      coming.catch(() => {}); // thrown when it is its turn
      if (ready.clip && pauseMs > 0) yield soundOf(sound.push(silence(pauseMs)), pauseMs);
      yield* speakOne(speaking, ready, sound);
      if (ready.clip) pauseMs = pauseBehind(ready.text) / speaking.speed;
    }
    const rest = sound.finish();
    if (rest.length > 0) yield soundOf(rest, 0);
    yield { is: "over" };
  } finally {
    void coming.then(stop, () => {});
  }
}

const stop = (ready: Ready | null) => void ready?.clip?.chunks.return(null).catch(() => {});

const soundOf = (bytes: Uint8Array, ms: number): SpokenPart => ({ is: "sound", bytes, ms });

const silence = (ms: number) => new Int16Array(Math.round((TTS_SAMPLE_RATE * ms) / 1000));

/** After a sentence, or within one. */
function pauseBehind(text: string): number {
  const end = text.slice(-20).trimEnd();
  return /[.!?…。！？]["')\]]{0,3}$/.test(end) || text.endsWith("\n") ? PAUSE_MS.sentence : PAUSE_MS.piece;
}

/** Takes its characters, and synthesizes until there is sound. What the voice cannot pronounce is silent. */
async function prepare(services: StreamedServices, speaking: Speaking, text: string): Promise<Ready> {
  const { claim, billing } = speaking;
  const silent = { text, read: null, clip: null };
  if (!READ_ALOUD.test(text)) return silent;
  const { organization } = claim;
  const read = await readText(services.pronunciations, { text, organization, field: "input" });
  await billing.take(read.characters);
  try {
    return { text, read, clip: await renderTimed(services, speaking, read) };
  } catch (error) {
    if (error instanceof Refusal && error.code === "unpronounceable_input") return silent;
    throw error;
  }
}

async function renderTimed(services: StreamedServices, speaking: Speaking, read: ReadText): Promise<Clip> {
  const { chosen, ownVoice, language, speed, claim } = speaking;
  const plain = renderRequestOf({ chosen, read, language, speed, instructions: "", claim });
  const request = await withOwnStyle(services, plain, { chosen, ownVoice, claim });
  const options = { format: "pcm", lengthFirst: false, wordTimes: "where known" } as const;
  return render(services.synthesizer, request, options);
}

async function* speakOne(
  { chosen, speed, billing, claim }: Speaking,
  { text, read, clip }: Ready,
  sound: ReturnType<typeof openLiveSound>,
): AsyncGenerator<SpokenPart> {
  const expectedMs = (1000 * spokenSeconds(text)) / speed;
  if (clip === null || read === null) {
    yield { is: "began", text, expectedMs: 0, words: null };
    yield { is: "ended", words: null };
    return;
  }
  const price = { model: chosen.model, priceMicros: chosen.manifest.price_micros };
  const words = () => (clip.isTimed ? clip.words() : null);
  let isSent = false;
  try {
    await billing.checkCredit();
    await billing.pay(price, read.characters);
    try {
      const first = words() ?? [];
      yield { is: "began", text, expectedMs, words: first.length > 0 ? first : null };
      for await (const samples of piecesOf(clip.chunks)) {
        isSent = true;
        yield soundOf(sound.push(samples), (1000 * samples.length) / TTS_SAMPLE_RATE);
      }
      yield { is: "ended", words: first.length > 0 ? null : words() };
    } catch (error) {
      const share = !isSent ? 0 : isLeft(claim.signal) ? 1 : clip.deliveredShare();
      billing.refund(price, read.characters - Math.floor(read.characters * share));
      throw error;
    }
  } finally {
    stop({ text, read, clip });
  }
}

/** Of at most `PIECE_MS`. */
async function* piecesOf(chunks: Clip["chunks"]): AsyncGenerator<Int16Array> {
  for await (const bytes of chunks) {
    const samples = new Int16Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength >> 1);
    for (let from = 0; from < samples.length; from += PIECE_SAMPLES)
      yield samples.subarray(from, from + PIECE_SAMPLES);
  }
}

/**
 * Speech of a text that is still being written, for a live client: texts come in as they are complete, and go out as sound,
 * each paid for before its first byte.
 *
 *   texts   t0  t1  t2            the next one is synthesized while one is sent
 *   sound   ██████│pause│█████
 *
 * A caller that leaves pays for the text under way if any of it was sent. What the server fails to deliver of it is given back.
 */

import type { ClipFormat } from "../audio/formats.ts";
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { LiveFormat } from "../engine/protocol/live-format.ts";
import { READ_ALOUD } from "../engine/protocol/signs.ts";
import type { Claim } from "../engine/runner.ts";
import { spokenSeconds } from "../engine/speed/spoken-seconds.ts";
import { isLeft, Refusal } from "../errors.ts";
import type { ChosenSpeech } from "../models/choose.ts";
import { type EncodedSound, openSound } from "../speech/live-sound.ts";
import { PAUSE_MS } from "../speech/plan.ts";
import { type Clip, render } from "../speech/synthesizer.ts";
import type { WordTime } from "../speech/words/timeline.ts";
import type { SpeechBilling } from "../usage/live-billing.ts";
import type { OwnVoice } from "../voices/voices.ts";
import {
  type Pronunciations,
  type ReadText,
  readText,
  renderRequestOf,
  type SpeechServices,
  withOwnStyle,
} from "./speech.ts";

/**
 * In order, of each text: it begins, its sound, it ends. `over` is the last. `words`: all that the first segment has, else at
 * its end all of the text; null: they are not known. `heard`: those that were told since the part before; `isTimed`: whether
 * any are.
 */
export type SpokenPart =
  | ({ is: "began"; text: string; expectedMs: number; words: WordTime[] | null; isTimed: boolean } & Heard)
  | ({ is: "sound"; bytes: Uint8Array; ms: number } & Heard)
  | ({ is: "ended"; words: WordTime[] | null } & Heard)
  | { is: "over" };

type Heard = { heard: readonly WordTime[] };

export type StreamedSpeech = {
  /** The next text. */
  push(text: string): void;
  /** No text follows. */
  end(): void;
  /** Ending it early stops the engine. Throws the refusal of a text that cannot be paid for or spoken. */
  events: AsyncGenerator<SpokenPart>;
};

/**
 * `language` null: the voice's own. `released`: until then the first text is synthesized, and nothing is sent or charged.
 * `turn`: where several speak for one billing, waits until no other's text is under way; what it returns ends the turn.
 */
type Speaking = {
  chosen: ChosenSpeech;
  ownVoice: OwnVoice | null;
  language: string | null;
  speed: number;
  format: LiveFormat | ClipFormat;
  claim: Claim;
  billing: SpeechBilling;
  released: Promise<void>;
  turn?: () => Promise<() => void>;
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
  const sound = await openSound(services.synthesizer.encoders, speaking.format, speaking.claim);
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
      if (ready.clip && pauseMs > 0) yield soundOf(await sound.push(silence(pauseMs)), pauseMs);
      yield* speakOne(speaking, ready, sound);
      if (ready.clip) pauseMs = pauseBehind(ready.text) / speaking.speed;
    }
    const rest = await sound.finish();
    if (rest.length > 0) yield soundOf(rest, 0);
    yield { is: "over" };
  } finally {
    void coming.then(stop, () => {});
    sound.close();
  }
}

const stop = (ready: Ready | null) => void ready?.clip?.chunks.return(null).catch(() => {});

const soundOf = (bytes: Uint8Array, ms: number, heard: readonly WordTime[] = []): SpokenPart => ({
  is: "sound",
  bytes,
  ms,
  heard,
});

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

async function* speakOne(speaking: Speaking, ready: Ready, sound: EncodedSound): AsyncGenerator<SpokenPart> {
  const { text, read, clip } = ready;
  if (clip === null || read === null) {
    yield { is: "began", text, expectedMs: 0, words: null, isTimed: false, heard: [] };
    yield { is: "ended", words: null, heard: [] };
    return;
  }
  let done = () => {};
  try {
    if (speaking.turn) done = await speaking.turn();
    yield* speakPaid(speaking, { text, read, clip }, sound);
  } finally {
    done();
    stop(ready);
  }
}

type Paid = { text: string; read: ReadText; clip: Clip };

/** Pays for the text first. */
async function* speakPaid(
  { chosen, speed, billing, claim }: Speaking,
  { text, read, clip }: Paid,
  sound: EncodedSound,
): AsyncGenerator<SpokenPart> {
  const price = { model: chosen.model, priceMicros: chosen.manifest.price_micros };
  const { isTimed } = clip;
  const words: WordTime[] = [];
  const heard = () => {
    const told = clip.words();
    words.push(...told);
    return told;
  };
  let isSent = false;
  let end: "left" | "failed" | "done" = "left";
  await billing.checkCredit();
  await billing.pay(price, read.characters);
  try {
    const first = heard();
    const expectedMs = (1000 * spokenSeconds(text)) / speed;
    yield { is: "began", text, expectedMs, words: first.length > 0 ? first : null, isTimed, heard: first };
    for await (const samples of piecesOf(clip.chunks)) {
      const bytes = await sound.push(samples);
      if (isLeft(claim.signal)) return; // while it was encoded
      isSent ||= bytes.length > 0;
      yield soundOf(bytes, (1000 * samples.length) / TTS_SAMPLE_RATE, heard());
    }
    end = "done";
    const last = heard();
    yield { is: "ended", words: first.length > 0 || !isTimed ? null : words, heard: last };
  } catch (error) {
    if (!isLeft(claim.signal)) end = "failed";
    throw error;
  } finally {
    const isCut = end !== "done" && (end === "failed" || (claim.signal.aborted && !isLeft(claim.signal)));
    const share = end !== "done" && !isSent ? 0 : isCut ? clip.deliveredShare() : 1;
    if (share < 1) billing.refund(price, read.characters - Math.floor(read.characters * share));
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

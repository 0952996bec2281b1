/**
 * Requests that speak: a whole text as one clip, or a text that is still being written, sentence by sentence.
 *
 *   voice -> characters (429) -> engine -> charge -> audio-start, audio-chunk …, audio-stop     for each part
 *
 * All clips of a server have one format, so that a client may play them as one.
 */

import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import { invalidInput, Refusal } from "../errors.ts";
import { primaryLanguage } from "../language-tag.ts";
import { failedEnding } from "../metered/ending.ts";
import { CHARACTERS_MAX } from "../metered/request-limits.ts";
import {
  NOTHING_SPOKEN,
  type Pronunciations,
  readText,
  type Spoken,
  speak as speakMetered,
} from "../metered/speech.ts";
import type { CatalogueFor } from "../models/live-catalogue.ts";
import { isSsml } from "../speech/script/read-script.ts";
import type { Clip, Synthesizer } from "../speech/synthesizer.ts";
import { splitSentences } from "../speech/text/sentences.ts";
import type { Voices } from "../voices/voices.ts";
import { type ChosenVoice, chooseVoiceFor } from "./catalogue-choice.ts";
import type { VoiceSelection } from "./event-fields.ts";
import { ending, type MeteredRequest, type MeteringDeps, openRequest, type Peer } from "./metered-request.ts";
import { eventOf } from "./wyoming-session.ts";

export type SynthesisDeps = MeteringDeps & {
  catalogueFor: CatalogueFor;
  synthesizer: Synthesizer;
  pronunciations: Pronunciations;
  voices: Voices;
};

const KIND = { endpoint: "wyoming/synthesize", scope: "speech:create", bucket: "characters" } as const;
const FORMAT = { rate: TTS_SAMPLE_RATE, width: 2, channels: 1 };
const PAUSE_SECONDS = 0.28; // between sentences, as within one text

/**
 * A text under way: `received` counts the characters of the client, `spoken` what was spoken of them; `silent` is why a
 * sentence was left out, because the voice cannot pronounce it.
 */
export type OpenText = ChosenVoice & {
  request: MeteredRequest;
  sentences: SentenceStream;
  received: number;
  spoken: Spoken;
  silent: Refusal | null;
};

export async function openText(
  deps: SynthesisDeps,
  { selection, isStream }: { selection: VoiceSelection; isStream: boolean },
  peer: Peer,
): Promise<OpenText> {
  const request = await openRequest(deps, KIND, peer);
  return ending(request, async () => {
    const choice = chooseVoiceFor(deps.catalogueFor(request.principal), selection);
    const { model, voice, format } = choice.chosen;
    request.work.note({ model, voice: voice.id, responseFormat: format, stream: isStream });
    const sentences = new SentenceStream(primaryLanguage(choice.language));
    return { ...choice, request, sentences, received: 0, spoken: NOTHING_SPOKEN, silent: null };
  });
}

/** The whole text as one clip, because some clients read no further than the first. */
export async function speakWhole(
  deps: SynthesisDeps,
  { selection, text }: { selection: VoiceSelection; text: string },
  peer: Peer,
): Promise<void> {
  const open = await openText(deps, { selection, isStream: false }, peer);
  await ending(open.request, async () => {
    if (text.trim() === "") throw wrongText("too_short", "must contain text to speak");
    countText(open, text);
    await speak(deps, { open, text }, peer);
    open.request.work.end(200);
  });
}

/** Speaks the sentences that this piece of a stream completes. */
export function addText(deps: SynthesisDeps, { open, text }: Part, peer: Peer): Promise<void> {
  return ending(open.request, async () => {
    countText(open, text);
    await speakSentences(deps, { open, sentences: open.sentences.push(text) }, peer);
  });
}

/** Also what is not spoken: a stream must not go on forever. */
function countText(open: OpenText, text: string): void {
  open.received += [...text].length;
  if (open.received > CHARACTERS_MAX)
    throw wrongText("too_long", `must not have more than ${CHARACTERS_MAX} characters`);
}

/** Speaks what is left, and ends the request. */
export function endText(deps: SynthesisDeps, open: OpenText, peer: Peer): Promise<void> {
  return ending(open.request, async () => {
    await speakSentences(deps, { open, sentences: open.sentences.finish() }, peer);
    if (open.silent && open.spoken.characters === 0) throw open.silent;
    await peer.send(eventOf("synthesize-stopped"));
    open.request.work.end(200);
  });
}

/** A sentence that the voice cannot pronounce must not end an answer whose other sentences it can. */
async function speakSentences(
  deps: SynthesisDeps,
  { open, sentences }: { open: OpenText; sentences: string[] },
  peer: Peer,
): Promise<void> {
  for (const text of sentences) {
    try {
      await speak(deps, { open, text }, peer);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "unpronounceable_input") throw error;
      open.silent = error;
    }
  }
}

type Part = { open: OpenText; text: string };

async function speak(deps: SynthesisDeps, { open, text }: Part, peer: Peer): Promise<void> {
  const { chosen, language, request, spoken: before } = open;
  const { work, claim } = request;
  const { organization } = claim;
  const reading = { text, organization, field: "text", before: before.characters };
  const read = await readText(deps.pronunciations, reading);
  const named = language === chosen.voice.locale ? null : language;
  const wording = { read, language: named, speed: 1, instructions: "" };
  const utterance = { ...wording, chosen, work, claim, before, ownVoice: null };
  const clip = await speakMetered(deps, utterance, { format: "pcm", lengthFirst: false });
  try {
    await sendClip(clip, before.characters === 0 ? 0 : PAUSE_SECONDS, peer);
    clip.end({ status: 200 });
  } catch (error) {
    clip.end(failedEnding(claim.signal, error));
    throw error;
  } finally {
    open.spoken = clip.spoken();
  }
}

async function sendClip({ chunks }: Clip, pauseSeconds: number, { send }: Peer): Promise<void> {
  await send(eventOf("audio-start", FORMAT));
  const chunkOf = (payload: Uint8Array) => ({ type: "audio-chunk", data: FORMAT, payload });
  if (pauseSeconds > 0) await send(chunkOf(new Uint8Array(pauseSeconds * FORMAT.rate * FORMAT.width)));
  for await (const bytes of chunks) await send(chunkOf(bytes));
  await send(eventOf("audio-stop"));
}

const wrongText = (code: "too_short" | "too_long", message: string) =>
  invalidInput([{ field: "text", code, message }]);

/** Where text without an end is divided, in code units, so that it can be spoken at all. */
const LONGEST = 1000;
/** Only such a character can complete a sentence; anything else is not worth splitting again. */
const BOUNDARY = /[.!?…。！？\n"'”’»)\]]/;

/**
 * Sentences from text that arrives in pieces of any size, such as the tokens of a language model. Pure.
 *
 * A sentence is complete when another begins or its line ends, so that "3." waits for what may be "3.50". SSML is whole at its
 * end only. @internal
 */
export class SentenceStream {
  readonly #language: string;
  #pending = "";
  #mayEnd = false;

  /** `language`: a primary subtag, such as "en". */
  constructor(language: string) {
    this.#language = language;
  }

  /** The sentences that this piece completes. */
  push(piece: string): string[] {
    const sentences: string[] = [];
    for (let offset = 0; offset < piece.length; offset += LONGEST)
      sentences.push(...this.#add(piece.slice(offset, offset + LONGEST)));
    return sentences;
  }

  #add(piece: string): string[] {
    this.#pending += piece;
    if (isSsml(this.#pending)) return [];
    const isLong = this.#pending.length > LONGEST;
    this.#mayEnd ||= BOUNDARY.test(piece);
    if (!this.#mayEnd && !isLong) return [];
    const lines = this.#pending.split("\n");
    const open = splitSentences(lines.pop()!, this.#language);
    this.#pending = open.pop() ?? "";
    const complete = [...lines.flatMap((line) => splitSentences(line, this.#language)), ...open];
    if (this.#pending.length > LONGEST) complete.push(this.#cut());
    this.#mayEnd = BOUNDARY.test(this.#pending);
    return complete.filter(isSpeakable);
  }

  /** Up to the last space. */
  #cut(): string {
    const space = this.#pending.lastIndexOf(" ", LONGEST);
    const end = space > 0 ? space : LONGEST;
    const part = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    return part;
  }

  /** What is left, at the end of the text. */
  finish(): string[] {
    const rest = isSsml(this.#pending) ? [this.#pending] : splitSentences(this.#pending, this.#language);
    this.#pending = "";
    return rest.filter(isSpeakable);
  }
}

/** Emoji and marks alone are not spoken. */
const isSpeakable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/**
 * Speech that is paid for, whatever the interface: from an admitted request and a text to a clip with its charge.
 *
 *   text -> as the organization reads it -> characters (429) -> style of its own voice -> engine -> charge -> clip
 *
 * The charge is durable before the caller has the first byte. What the server fails to deliver is given back.
 */
import type { Claim } from "../engine/runner.ts";
import { invalidInput, unavailableOnError } from "../errors.ts";
import { languageCode } from "../language-tag.ts";
import type { ChosenSpeech } from "../models/choose.ts";
import { speakerOf } from "../models/choose-voice.ts";
import { readerOf } from "../speech/pronounceable.ts";
import { type Dictionary, spokenLength, withDictionary } from "../speech/script/dictionary.ts";
import { readScript } from "../speech/script/read-script.ts";
import type { Script } from "../speech/script/script.ts";
import {
  type Clip,
  type RenderOptions,
  type RenderRequest,
  render,
  renderWhole,
  type Synthesizer,
  type WholeClip,
} from "../speech/synthesizer.ts";
import type { Consumed } from "../usage/posting.ts";
import type { Work } from "../usage/work.ts";
import { styleOf } from "../voices/encode-voice.ts";
import type { OwnVoice, Voices } from "../voices/voices.ts";
import { type Ending, isCutShort } from "./ending.ts";
import { CHARACTERS_MAX } from "./request-limits.ts";

/** How organizations read words. */
export type Pronunciations = { dictionaryOf(organizationId: string): Promise<Dictionary> };

/** `characters`: what it is charged as: as many as were sent, or as are read where those are more. */
export type ReadText = { text: string; script: Script; characters: number };

/** `field`: what a refusal names. `before`: characters of the same request that were spoken before. */
type Reading = { text: string; organization: string; field: string; before?: number };

/** As the organization reads it. Refuses what is longer than a request may be once it is read. */
export async function readText(
  pronunciations: Pronunciations,
  { text, organization, field, before = 0 }: Reading,
): Promise<ReadText> {
  const written = readScript(text);
  const sent = [...text].length;
  const words = pronunciations.dictionaryOf(organization);
  const dictionary = await unavailableOnError("The dictionary", words);
  if (dictionary.size === 0) return { text, script: written, characters: sent };
  const script = withDictionary(written, dictionary);
  const spoken = spokenLength(script);
  if (before + spoken > CHARACTERS_MAX) {
    const message = `is longer than ${CHARACTERS_MAX} characters with the readings of the dictionary`;
    throw invalidInput([{ field, code: "too_long", message }]);
  }
  return { text, script, characters: Math.max(sent, spoken) };
}

/** `language`: as the caller names it; null: the voice's own. */
export type Utterance = {
  chosen: ChosenSpeech;
  read: Pick<ReadText, "text" | "script">;
  language: string | null;
  speed: number;
  instructions: string;
  claim: Claim;
};

export const renderRequestOf = ({ chosen, read, language, ...utterance }: Utterance): RenderRequest => {
  const { voice, manifest } = chosen;
  return {
    engine: voice.engine,
    ...speakerOf(voice),
    reader: readerOf(voice, language),
    text: read.text,
    script: read.script,
    language: language ?? voice.locale,
    speed: utterance.speed,
    instructions: manifest.speech.instructions ? utterance.instructions : "",
    claim: utterance.claim,
  };
};

/** What a request has spoken and paid for. */
export type Spoken = { characters: number; audioSeconds: number };

export const NOTHING_SPOKEN: Spoken = { characters: 0, audioSeconds: 0 };

/**
 * One text, or one part of a text, of a request. `ownVoice`: where the voice is one of the organization's. `before`: of the
 * parts before it.
 */
export type MeteredUtterance = Utterance & {
  work: Work;
  read: ReadText;
  ownVoice: OwnVoice | null;
  before: Spoken;
};

export type SpeechServices = { synthesizer: Synthesizer; voices: Voices };

/** Called once with the outcome: notes what was spoken, and gives back what the server failed to deliver. */
type Delivery = { end(ending: Ending): void };

/** `spoken`: by the request until now. */
export type MeteredClip = Clip & Delivery & { spoken(): Spoken };

/** A clip in progress: there is audio, and it is paid for. */
export async function speak(
  services: SpeechServices,
  utterance: MeteredUtterance,
  options: RenderOptions,
): Promise<MeteredClip> {
  const { work, before } = utterance;
  const clip = await render(services.synthesizer, await requestOf(services, utterance), options);
  const stop = () => void clip.chunks.return(null).catch(() => {});
  await charge(utterance, stop);
  const { quantity } = consumedOf(utterance);
  const spoken = () => ({
    characters: quantity,
    audioSeconds: before.audioSeconds + clip.audioSeconds(),
  });
  return {
    ...clip,
    spoken,
    end(ending) {
      stop(); // the engine, where the caller has left
      work.note({ audioSeconds: spoken().audioSeconds });
      if (isCutShort(ending)) work.refund(consumedOf(utterance, clip.deliveredShare()));
    },
  };
}

/** A clip that is complete, and paid for. One that is cut short is no file: all of it is given back. */
export async function speakWhole(
  services: SpeechServices,
  utterance: MeteredUtterance,
  options: Omit<RenderOptions, "lengthFirst">,
): Promise<WholeClip & Delivery> {
  const { work, before } = utterance;
  const clip = await renderWhole(services.synthesizer, await requestOf(services, utterance), options);
  await charge(utterance, () => clip.body.close());
  work.note({ audioSeconds: before.audioSeconds + clip.audioSeconds });
  return {
    ...clip,
    end(ending) {
      if (isCutShort(ending)) work.refund(consumedOf(utterance, 0));
    },
  };
}

async function requestOf(services: SpeechServices, utterance: MeteredUtterance): Promise<RenderRequest> {
  await utterance.work.take(utterance.read.characters);
  return withOwnStyle(services, renderRequestOf(utterance), utterance);
}

/** With the style of the organization's own voice, where one speaks. */
export const withOwnStyle = (
  services: SpeechServices,
  request: RenderRequest,
  utterance: Pick<MeteredUtterance, "chosen" | "ownVoice" | "claim">,
): RenderRequest | Promise<RenderRequest> =>
  utterance.ownVoice?.kind === "recording"
    ? withStyleOf(utterance.ownVoice, utterance, { services, request })
    : request;

async function withStyleOf(
  ownVoice: OwnVoice,
  { chosen, claim }: Pick<MeteredUtterance, "chosen" | "claim">,
  { services, request }: { services: SpeechServices; request: RenderRequest },
): Promise<RenderRequest> {
  const { synthesizer, voices } = services;
  const encoding = { registry: synthesizer.registry, engine: chosen.voice.engine, claim };
  return { ...request, style: await styleOf(voices, ownVoice, encoding) };
}

/** A result without a receiver is not charged. */
async function charge(utterance: MeteredUtterance, discard: () => unknown): Promise<void> {
  const { work, claim } = utterance;
  try {
    claim.signal.throwIfAborted();
    const consumed = consumedOf(utterance);
    work.note({ characters: consumed.quantity, language: languageOf(utterance) });
    await work.post(consumed);
    work.started();
  } catch (cause) {
    await discard();
    throw cause;
  }
}

/** In which it is read, as a code. */
export const languageOf = ({ language, chosen }: Pick<Utterance, "language" | "chosen">): string | null =>
  languageCode(language ?? chosen.voice.locale);

/** `share`: of the text. Single characters of a segment are not counted: normalized text is longer than the input. */
function consumedOf({ chosen, read, before }: MeteredUtterance, share = 1): Consumed {
  return {
    model: chosen.model,
    priceMicros: chosen.manifest.price_micros,
    quantity: before.characters + Math.floor(read.characters * share),
  };
}

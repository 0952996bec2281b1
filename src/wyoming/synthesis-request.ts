/**
 * Requests that speak: a whole text as one clip, or a text that is still being written, sentence by sentence.
 *
 *   voice -> characters (429) -> engine -> charge -> audio-start, audio-chunk …, audio-stop     for each part
 *
 * All clips of a server have one format, so that a client may play them as one.
 */
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import { invalidInput, isLeft, Refusal, unavailableOnError } from "../errors.ts";
import { primaryLanguage } from "../language-tag.ts";
import { speakerOf } from "../models/choose-voice.ts";
import type { CatalogueFor } from "../models/live-catalogue.ts";
import { readerOf } from "../speech/pronounceable.ts";
import { type Dictionary, spokenLength, withDictionary } from "../speech/script/dictionary.ts";
import { readScript } from "../speech/script/read-script.ts";
import type { Script } from "../speech/script/script.ts";
import { type Clip, type RenderRequest, render, type Synthesizer } from "../speech/synthesizer.ts";
import { type ChosenVoice, chooseVoiceFor } from "./catalogue-choice.ts";
import type { VoiceSelection } from "./event-fields.ts";
import { ending, type MeteredRequest, type MeteringDeps, openRequest, type Peer } from "./metered-request.ts";
import { SentenceStream } from "./sentence-stream.ts";
import { eventOf } from "./wyoming-session.ts";

export type SynthesisDeps = MeteringDeps & {
  catalogueFor: CatalogueFor;
  synthesizer: Synthesizer;
  /** How an organization reads words. */
  pronunciations: { dictionaryOf(organizationId: string): Promise<Dictionary> };
};

const KIND = { endpoint: "wyoming/synthesize", scope: "speech:create", bucket: "characters" } as const;
const CHARACTERS_MAX = 8000; // as over HTTP
const FORMAT = { rate: TTS_SAMPLE_RATE, width: 2, channels: 1 };
const PAUSE_SECONDS = 0.28; // between sentences, as within one text

/**
 * A text under way: `received` counts the characters of the client, `characters` and `audioSeconds` what was spoken of
 * them; `silent` is why a sentence was left out, because the voice cannot pronounce it.
 */
export type OpenText = ChosenVoice & {
  request: MeteredRequest;
  sentences: SentenceStream;
  received: number;
  characters: number;
  audioSeconds: number;
  silent: Refusal | null;
};

export async function openText(
  deps: SynthesisDeps,
  { selection, isStream }: { selection: VoiceSelection; isStream: boolean },
  peer: Peer,
): Promise<OpenText> {
  const request = await openRequest(deps, KIND, peer);
  return ending(request, async () => {
    const choice = chooseVoiceFor(deps.catalogueFor(request.plan), selection);
    const { model, voice, format } = choice.chosen;
    request.work.note({ model, voice: voice.id, responseFormat: format, stream: isStream });
    const sentences = new SentenceStream(primaryLanguage(choice.language));
    const counts = { received: 0, characters: 0, audioSeconds: 0 };
    return { ...choice, request, sentences, ...counts, silent: null };
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
    if (open.silent && open.characters === 0) throw open.silent;
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

/** Charged once there is audio, before its first byte is sent; what the server fails to deliver of it is refunded. */
async function speak(deps: SynthesisDeps, { open, text }: Part, peer: Peer): Promise<void> {
  const { work } = open.request;
  const before = open.characters;
  const script = await scriptOf(deps, { open, text });
  const characters = Math.max([...text].length, spokenLength(script));
  await work.take(characters);
  const request = { ...synthesisOf(open, text), script };
  const clip = await render(deps.synthesizer, request, { format: "pcm", lengthFirst: false });
  try {
    const { model, manifest } = open.chosen;
    const quantity = open.characters + characters;
    work.note({ characters: quantity });
    await work.post({ model, priceMicros: manifest.price_micros, quantity });
    open.characters = quantity;
    work.started();
    await sendClip(clip, before === 0 ? 0 : PAUSE_SECONDS, peer);
  } catch (error) {
    const { model, manifest } = open.chosen;
    const quantity = before + Math.floor(characters * clip.deliveredShare());
    if (!isLeft(open.request.claim.signal))
      work.refund({ model, priceMicros: manifest.price_micros, quantity });
    throw error;
  } finally {
    clip.chunks.return(null).catch(() => {}); // stops the engine where the client is gone
    open.audioSeconds += clip.audioSeconds();
    work.note({ audioSeconds: open.audioSeconds });
  }
}

/** As the organization reads it; what is read is charged where it is longer than what was sent. */
async function scriptOf({ pronunciations }: SynthesisDeps, { open, text }: Part): Promise<Script> {
  const words = pronunciations.dictionaryOf(open.request.claim.organization);
  const script = withDictionary(readScript(text), await unavailableOnError("The dictionary", words));
  if (open.characters + spokenLength(script) > CHARACTERS_MAX)
    throw wrongText("too_long", `must not have more than ${CHARACTERS_MAX} characters as it is read`);
  return script;
}

async function sendClip({ chunks }: Clip, pauseSeconds: number, { send }: Peer): Promise<void> {
  await send(eventOf("audio-start", FORMAT));
  const chunkOf = (payload: Uint8Array) => ({ type: "audio-chunk", data: FORMAT, payload });
  if (pauseSeconds > 0) await send(chunkOf(new Uint8Array(pauseSeconds * FORMAT.rate * FORMAT.width)));
  for await (const bytes of chunks) await send(chunkOf(bytes));
  await send(eventOf("audio-stop"));
}

const synthesisOf = ({ chosen: { voice }, language, request }: OpenText, text: string): RenderRequest => ({
  engine: voice.engine,
  ...speakerOf(voice),
  reader: readerOf(voice, language === voice.locale ? null : language),
  text,
  language,
  speed: 1,
  instructions: "",
  claim: request.claim,
});

const wrongText = (code: "too_short" | "too_long", message: string) =>
  invalidInput([{ field: "text", code, message }]);

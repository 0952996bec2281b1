/** Which model and voice serve a client that names one, a language, or nothing. */
import { Refusal } from "../errors.ts";
import { primaryLanguage } from "../language-tag.ts";
import { type Catalogue, type Entry, isStt, isTts } from "../models/catalogue.ts";
import {
  type ChosenRecognition,
  type ChosenSpeech,
  chooseRecognition,
  chooseSpeech,
} from "../models/choose.ts";
import type { Names } from "../models/client-names.ts";
import {
  languagesOf,
  languagesSpoken,
  type Manifest,
  type SttManifest,
  type TtsManifest,
  type Voice,
} from "../models/manifest.ts";
import type { ModelSelection, VoiceSelection } from "./event-fields.ts";

type Ready<M extends Manifest> = { id: string; version: M };

/** Models that can run here, the default first. */
export const speechModels = ({ entries }: Catalogue): Ready<TtsManifest>[] =>
  entries.filter(isTts).flatMap(ready);
export const recognitionModels = ({ entries }: Catalogue): Ready<SttManifest>[] =>
  entries.filter(isStt).flatMap(ready);

const ready = <M extends Manifest>({ id, version }: Entry<M>): Ready<M>[] =>
  version === null ? [] : [{ id, version }];

/** `language`: the tag that the text is read in. */
export type ChosenVoice = { chosen: ChosenSpeech; language: string };

/** A voice of several models is spoken by the first of them. */
export function chooseVoiceFor(catalogue: Catalogue, { voice, language }: VoiceSelection): ChosenVoice {
  const models = speechModels(catalogue);
  const bound = models.flatMap(({ id, version }) =>
    version.voices.map((each) => ({ model: id, voice: each })),
  );
  const first = bound[0];
  if (!first) throw catalogue.permits?.nothing("model that speaks") ?? nothingInstalled("voice");
  const meant = voice === null ? null : meantBy(voice, catalogue.names, bound);
  const usable = bound.filter((each) => catalogue.permits?.voice(each.voice.id) !== false);
  const choosable = usable.length > 0 ? usable : bound; // else the first is refused
  const able =
    voice === null
      ? (choosable.find((each) => isOfRegion(each.voice, language)) ??
        choosable.find((each) => speaks(each.voice, language)))
      : bound.find((each) => each.voice.id === meant?.id);
  if (!able && voice === null) throw unsupported(`No voice here speaks ${language}.`);
  const chosen = chooseSpeech(catalogue, {
    model: (able ?? first).model,
    voice: voice ?? able!.voice.id,
    format: "pcm",
    speed: 1,
    streaming: false,
  });
  return { chosen, language: languageFor(chosen.voice, language) };
}

/** A name of the catalogue, or else one that clients bring. */
const meantBy = (name: string, names: Names, bound: { voice: Voice }[]): Voice | null => {
  const voices = bound.map(({ voice }) => voice);
  return voices.find(({ id, aliases }) => id === name || aliases.includes(name)) ?? names.voice(name, voices);
};

/** Whether it is a voice of the very locale, such as en-GB. */
const isOfRegion = ({ locale }: Voice, language: string | null): boolean =>
  language !== null && locale.toLowerCase() === language.toLowerCase();

const speaks = (voice: Voice, language: string | null): boolean =>
  language === null ||
  languagesSpoken(voice).some((each) => primaryLanguage(each) === primaryLanguage(language));

/** The voice's own, unless it speaks another that was asked for. */
const languageFor = (voice: Voice, language: string | null): string =>
  language === null || primaryLanguage(language) === primaryLanguage(voice.locale) || !speaks(voice, language)
    ? voice.locale
    : language;

export function chooseModelFor(catalogue: Catalogue, { model, language }: ModelSelection): ChosenRecognition {
  const models = recognitionModels(catalogue);
  const first = models[0];
  if (!first) throw catalogue.permits?.nothing("model that transcribes") ?? nothingInstalled("recognizer");
  const able = models.find(
    ({ version }) =>
      language !== null &&
      languagesOf(version).some((each) => primaryLanguage(each) === primaryLanguage(language)),
  );
  const named = model ?? (able ?? first).id;
  return chooseRecognition(catalogue, { model: named, language, streaming: false });
}

const nothingInstalled = (what: string) =>
  new Refusal("model_unavailable", `No ${what} is installed on this server. See: loquat doctor`);

const unsupported = (message: string) => new Refusal("unsupported_language", message);

/**
 * Resolves the names in a request to what will run: model, version, voice, format, speed. Every refusal names the model
 * and lists what it accepts.
 */

import { AUDIO_FORMATS, BOOK_FORMAT, SPEECH_FORMATS, type SpeechFormat } from "../audio/formats.ts";
import { FFMPEG_ADVICE } from "../engine/families/families.ts";
import { Refusal, unlessRefused } from "../errors.ts";
import { didYouMean } from "../nearest-name.ts";
import { type Catalogue, type Entry, isStt, isTts } from "./catalogue.ts";
import { type ChosenEngine, chooseEngine } from "./choose-engine.ts";
import { chooseVoice, type SpokenVoice } from "./choose-voice.ts";
import type { Names } from "./client-names.ts";
import { type Manifest, type SttManifest, type TtsManifest, usesOf } from "./manifest.ts";
import { type OwnVoiceName, ownVoiceIn } from "./own-voice.ts";

/** `format` null: the alias's default, or WAV. */
type SpeechChoice = {
  model: string;
  voice: string;
  format: string | null;
  speed: number;
  streaming: boolean;
  language?: string | null;
  /** One that the organization made, which the request names. */
  ownVoice?: OwnVoiceName | null;
  /** It is a request of another API: what is true of an alias is true of any name. */
  isForeign?: boolean;
};

/** What a synthesis request resolves to. `aliased`: it names the model as other APIs do. */
export type ChosenSpeech = {
  model: string;
  manifest: TtsManifest;
  voice: SpokenVoice;
  format: SpeechFormat;
  aliased: boolean;
};

const DEFAULT_FORMAT = "wav";

/**
 * An alias may stand for several models: the first that can do what is asked. Under one, every format and speed may be had,
 * streamed too; the models' own ids have the limits of their manifests.
 */
export function chooseSpeech(catalogue: Catalogue, request: SpeechChoice): ChosenSpeech {
  const alias = catalogue.names.model(request.model);
  const format = request.format ?? alias?.format ?? DEFAULT_FORMAT;
  const { isForeign: aliased = catalogue.names.isForeign(request.model) } = request;
  const choice = { ...request, format, aliased };
  return firstAble(alias?.targets ?? [request.model], (target) =>
    chooseModel(catalogue, { ...choice, target }),
  );
}

/** What is chosen of the first model that can; where none can, the refusal of the first is thrown. */
export function firstAble<T>(
  [first, ...others]: readonly [string, ...string[]],
  choose: (model: string) => T,
): T {
  try {
    return choose(first);
  } catch (refusal) {
    for (const model of others) {
      const chosen = unlessRefused(() => choose(model));
      if (chosen) return chosen;
    }
    throw refusal;
  }
}

/** `aliased`: the request names the model as other APIs do, mostly by an alias, of which `target` is one of the models. */
type ModelChoice = SpeechChoice & { format: string; aliased: boolean; target: string };

function chooseModel(catalogue: Catalogue, request: ModelChoice): ChosenSpeech {
  const { ownVoice = null, language = null, aliased } = request;
  const entry = entryOf(catalogue, request, SPEECH);
  const manifest = installedVersion(entry);
  const { id, name } = entry;
  const voice = ownVoice
    ? ownVoiceIn(catalogue, { id: name, manifest }, { ownVoice, language })
    : chooseVoice(catalogue, { id: name, manifest, requested: request.voice });
  const format = chooseFormat(catalogue.names, { name, manifest }, request);
  if (!aliased) checkSpeed(name, manifest, request);
  return { model: id, manifest, voice, format, aliased };
}

type RecognitionChoice = {
  model: string;
  language: string | null;
  /** The language is one of these; none: of any. */
  languages?: readonly string[];
  streaming: boolean;
  /** The field that asks to tell speakers apart, and whether the answer shows them; absent: none does. */
  speakers?: { param: string; isUsed: boolean } | null;
  /** Translated to English. */
  translated?: boolean;
  /** Some words must be preferred. */
  keywords?: boolean;
  /** The field that asks when each word was spoken; absent or null: none does. */
  wordTimes?: string | null;
};

/** `diarizer`: the engine that tells speakers apart; null where they need not be. */
export type ChosenRecognition = ChosenEngine & { diarizer: string | null };

export function chooseRecognition(catalogue: Catalogue, request: RecognitionChoice): ChosenRecognition {
  const entry = entryOf(catalogue, request, RECOGNITION);
  const manifest = installedVersion(entry);
  const { id, name } = entry;
  if (request.streaming && !usesOf(manifest).includes("streaming")) {
    throw new Refusal(
      "invalid_model",
      `${name} does not stream transcripts. Leave out stream to get the whole transcript.`,
      {
        param: "stream",
      },
    );
  }
  const { language, languages = [], translated = false, keywords = false } = request;
  const diarizer = chooseDiarizer(catalogue, { name, manifest }, request.speakers ?? null);
  const use = request.streaming ? "streaming" : "batch";
  const wordTimes = request.wordTimes ?? (request.speakers?.isUsed ? request.speakers.param : null);
  const needs = { use, language, languages, translated, keywords, wordTimes } as const;
  return { ...chooseEngine(catalogue, { id, name, manifest }, needs), diarizer };
}

type Speakers = NonNullable<RecognitionChoice["speakers"]>;

/** Null where speakers need not be told apart. */
function chooseDiarizer(
  { diarizer }: Catalogue,
  { name, manifest }: { name: string; manifest: SttManifest },
  speakers: Speakers | null,
): string | null {
  if (speakers === null) return null;
  if (manifest.recognition.diarization && diarizer !== null) return speakers.isUsed ? diarizer : null;
  const message = `${name} does not tell speakers apart: it does not support diarization.`;
  const advice = manifest.recognition.diarization
    ? ` The operator of this server can add it with "${DIARIZER}".`
    : "";
  if (speakers.param === "response_format")
    throw new Refusal("unsupported_response_format", `${message} It accepts ${OTHER_FORMATS}.${advice}`, {
      param: "response_format",
    });
  throw new Refusal("unsupported_parameter", `${message}${advice}`, { param: speakers.param });
}

const OTHER_FORMATS = "json, text, srt, verbose_json, vtt";
const DIARIZER = "loquat models pull pyannote-segmentation-3.0 wespeaker-resnet34-lm";

/** `model` null: the first that can. `transcribes`: the session is known to be one that only transcribes. */
type RealtimeChoice = {
  model: string | null;
  transcribes?: boolean;
} & Pick<RecognitionChoice, "language" | "languages" | "keywords">;

export function chooseRealtime(catalogue: Catalogue, request: RealtimeChoice): ChosenRecognition {
  const capable = catalogue.entries
    .filter(isStt)
    .filter(({ manifest }) => usesOf(manifest).includes("realtime"));
  const first = capable.find(({ version }) => version !== null) ?? capable[0];
  const target = sessionModel(catalogue, request) ?? first?.id ?? "";
  const entry = entryOf(catalogue, { model: request.model ?? target, target }, RECOGNITION);
  if (!usesOf(entry.manifest).includes("realtime")) {
    const others = capable.map(({ id }) => id).join(", ") || "none";
    throw new Refusal(
      "realtime_not_supported",
      `${entry.name} does not support realtime sessions. Models that do: ${others}.`,
      { param: "model" },
    );
  }
  const manifest = installedVersion(entry);
  const { language, languages = [], keywords = false } = request;
  const engine = {
    use: "realtime",
    language,
    languages,
    translated: false,
    keywords,
    wordTimes: null,
  } as const;
  const { id, name } = entry;
  return { ...chooseEngine(catalogue, { id, name, manifest }, engine), diarizer: null };
}

/** Some names are those of models that hold conversations; without a language model, they may still transcribe. */
function sessionModel({ names }: Catalogue, { model, transcribes }: RealtimeChoice): string | null {
  const meant = model === null ? null : names.session(model);
  if (meant === null) return model;
  if (transcribes) return meant;
  throw new Refusal(
    "realtime_not_supported",
    `${model} holds conversations, for which this server has no language model: its operator can add one with "loquat upstream add". To transcribe, connect with ?intent=transcription, or use ${meant}.`,
    { param: "model" },
  );
}

type Kind<M extends Manifest> = { article: string; name: string; is: (entry: Entry) => entry is Entry<M> };

const SPEECH: Kind<TtsManifest> = { article: "a", name: "TTS", is: isTts };
const RECOGNITION: Kind<SttManifest> = { article: "an", name: "STT", is: isStt };

/** `name`: as refusals name the model. */
type Named<M extends Manifest> = Entry<M> & { name: string };

/** `target`: what the name that was asked for stands for; absent: the catalogue knows. */
type Asked = { model: string; target?: string };

function entryOf<M extends Manifest>(
  catalogue: Catalogue,
  { model, target = model }: Asked,
  kind: Kind<M>,
): Named<M> {
  const entry = catalogue.find(target);
  const name = nameOf(model, entry?.id ?? target);
  if (entry && kind.is(entry) && entry.manifest.status !== "retired") {
    catalogue.permits?.checkModel(entry.id, name);
    return { ...entry, name };
  }
  const ids = catalogue.entries.filter(kind.is).map(({ id }) => id);
  const aliases = catalogue.names.models.filter(({ targets }) => ids.includes(targets[0]));
  const meant = entry ? "" : didYouMean(model, [...ids, ...aliases.map((alias) => alias.name)]);
  throw new Refusal(
    "invalid_model",
    `${name} is not ${kind.article} ${kind.name} model.${meant} ${kind.name} models: ${ids.join(", ") || "none"}.`,
    { param: "model" },
  );
}

/** As the request names it, with the model that it stands for. */
function nameOf(model: string, id: string): string {
  const asked = model.trim();
  return asked === "" || asked === id ? id : `${asked} (${id})`;
}

function installedVersion<M extends Manifest>({ name, version }: Named<M>): M {
  if (version) return version;
  throw new Refusal(
    "model_unavailable",
    `${name} is not installed. Ask the operator to run "loquat doctor", which explains how to install it.`,
    { param: "model" },
  );
}

function checkSpeed(name: string, { speech }: TtsManifest, { speed, streaming }: SpeechChoice): void {
  if (streaming && speed !== 1) {
    const message = `${name} streams at speed 1.0 only, not ${speed}. Leave out speed, or stream and stream_format.`;
    throw new Refusal("unsupported_speed", message, { param: "speed" });
  }
  const { min, max } = speech.speed;
  if (speed >= min && speed <= max) return;
  const accepted = min === max ? `speed ${min.toFixed(1)} only` : `speeds from ${min} to ${max}`;
  throw new Refusal("unsupported_speed", `${name} accepts ${accepted}, not ${speed}.`, { param: "speed" });
}

/**
 * The formats of whole files and of streams under an alias: the server encodes them all, whatever the model, and AAC where
 * FFmpeg is installed.
 */
export const formatsUnderAlias = ({ aac }: Names): SpeechFormat[] => [
  ...(aac ? SPEECH_FORMATS : AUDIO_FORMATS),
];

/** `aliased`: the request names the model as other APIs do. */
type FormatChoice = { format: string; streaming: boolean; aliased: boolean };

/** `name`: as the refusal names the model. */
function chooseFormat(
  names: Names,
  { name, manifest }: { name: string; manifest: TtsManifest },
  { format, streaming, aliased }: FormatChoice,
): SpeechFormat {
  const { response_formats, streamable_formats } = manifest.speech;
  const offered = streaming ? streamable_formats : response_formats;
  const accepted = aliased ? formatsUnderAlias(names) : offered;
  const chosen = accepted.find((candidate) => candidate === format);
  if (chosen) return chosen;
  const isStreamed = streaming && !aliased;
  const list = accepted.length > 0 ? accepted.join(", ") : "nothing";
  const verb = isStreamed ? "streams" : "produces";
  const advice = isStreamed
    ? " Name another response_format, or leave out stream and stream_format."
    : aliased && format === "aac"
      ? ` AAC needs FFmpeg: ${FFMPEG_ADVICE}.`
      : format === BOOK_FORMAT
        ? ` ${BOOK_FORMAT} is for requests with background.`
        : "";
  throw new Refusal("unsupported_response_format", `${name} ${verb} ${list}, not ${format}.${advice}`, {
    param: "response_format",
  });
}

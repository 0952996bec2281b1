/**
 * Resolves the names in a request to what will run: model, version, voice, format, speed. Every refusal names the model
 * and lists what it accepts.
 */

import type { SpeechFormat } from "../audio/encode.ts";
import { Refusal, unlessRefused } from "../errors.ts";
import { type Catalogue, type Entry, isStt, isTts } from "./catalogue.ts";
import { type ChosenEngine, chooseEngine } from "./choose-engine.ts";
import { chooseVoice, type SpokenVoice } from "./choose-voice.ts";
import { type Manifest, type SttManifest, type TtsManifest, usesOf } from "./manifest.ts";
import { type OwnVoiceName, ownVoiceIn } from "./own-voice.ts";
import { chooseFormat } from "./speech-format.ts";

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
};

/** What a synthesis request resolves to. */
export type ChosenSpeech = { model: string; manifest: TtsManifest; voice: SpokenVoice; format: SpeechFormat };

const DEFAULT_FORMAT = "wav";

/** An alias may stand for several models: the first that can do what is asked. */
export function chooseSpeech(catalogue: Catalogue, request: SpeechChoice): ChosenSpeech {
  const alias = catalogue.names.model(request.model);
  const format = request.format ?? alias?.format ?? DEFAULT_FORMAT;
  const [first, ...others] = alias?.targets ?? [request.model];
  const choice = { ...request, format, aliased: alias !== null };
  try {
    return chooseModel(catalogue, { ...choice, model: first });
  } catch (refusal) {
    for (const model of others) {
      const chosen = unlessRefused(() => chooseModel(catalogue, { ...choice, model }));
      if (chosen) return chosen;
    }
    throw refusal;
  }
}

/** `aliased`: the request names the model by an alias. */
type ModelChoice = SpeechChoice & { format: string; aliased: boolean };

function chooseModel(catalogue: Catalogue, request: ModelChoice): ChosenSpeech {
  const entry = entryOf(catalogue, request.model, SPEECH);
  const manifest = installedVersion(entry);
  const { ownVoice = null, language = null } = request;
  const voice = ownVoice
    ? ownVoiceIn(catalogue, { id: entry.id, manifest }, { ownVoice, language })
    : chooseVoice(catalogue, { id: entry.id, manifest, requested: request.voice });
  const format = chooseFormat(catalogue.names, { id: entry.id, manifest }, request);
  checkSpeed(entry.id, manifest, request);
  return { model: entry.id, manifest, voice, format };
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
  const entry = entryOf(catalogue, request.model, RECOGNITION);
  const manifest = installedVersion(entry);
  if (request.streaming && !usesOf(manifest).includes("streaming")) {
    throw new Refusal(
      "invalid_model",
      `${entry.id} does not stream transcripts. Leave out stream to get the whole transcript.`,
      {
        param: "stream",
      },
    );
  }
  const { language, languages = [], translated = false, keywords = false } = request;
  const diarizer = chooseDiarizer(catalogue, { id: entry.id, manifest }, request.speakers ?? null);
  const use = request.streaming ? "streaming" : "batch";
  const wordTimes = request.wordTimes ?? (request.speakers?.isUsed ? request.speakers.param : null);
  const needs = { use, language, languages, translated, keywords, wordTimes } as const;
  return { ...chooseEngine(catalogue, { id: entry.id, manifest }, needs), diarizer };
}

type Speakers = NonNullable<RecognitionChoice["speakers"]>;

/** Null where speakers need not be told apart. */
function chooseDiarizer(
  { diarizer }: Catalogue,
  { id, manifest }: { id: string; manifest: SttManifest },
  speakers: Speakers | null,
): string | null {
  if (speakers === null) return null;
  if (manifest.hearing.diarization && diarizer !== null) return speakers.isUsed ? diarizer : null;
  const message = `${id} does not tell speakers apart: it does not support diarization.`;
  const advice = manifest.hearing.diarization
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
  const entry = entryOf(catalogue, sessionModel(catalogue, request) ?? first?.id ?? "", RECOGNITION);
  if (!usesOf(entry.manifest).includes("realtime")) {
    const others = capable.map(({ id }) => id).join(", ") || "none";
    throw new Refusal(
      "realtime_not_supported",
      `${entry.id} does not support realtime sessions. Models that do: ${others}.`,
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
  return { ...chooseEngine(catalogue, { id: entry.id, manifest }, engine), diarizer: null };
}

/** Some names are those of models that hold conversations, which this server does not; they may still transcribe. */
function sessionModel({ names }: Catalogue, { model, transcribes }: RealtimeChoice): string | null {
  const meant = model === null ? null : names.session(model);
  if (meant === null) return model;
  if (transcribes) return meant;
  throw new Refusal(
    "realtime_not_supported",
    `${model} holds conversations, and this server only transcribes. Connect with ?intent=transcription, or use ${meant}.`,
    { param: "model" },
  );
}

type Kind<M extends Manifest> = { article: string; name: string; is: (entry: Entry) => entry is Entry<M> };

const SPEECH: Kind<TtsManifest> = { article: "a", name: "TTS", is: isTts };
const RECOGNITION: Kind<SttManifest> = { article: "an", name: "STT", is: isStt };

function entryOf<M extends Manifest>(catalogue: Catalogue, name: string, kind: Kind<M>): Entry<M> {
  const entry = catalogue.find(name);
  if (entry && kind.is(entry) && entry.manifest.status !== "retired") return entry;
  const ids = catalogue.entries.filter(kind.is).map(({ id }) => id);
  throw new Refusal(
    "invalid_model",
    `${name} is not ${kind.article} ${kind.name} model. ${kind.name} models: ${ids.join(", ") || "none"}.`,
    { param: "model" },
  );
}

function installedVersion<M extends Manifest>(entry: Entry<M>): M {
  if (entry.version) return entry.version;
  throw new Refusal(
    "model_unavailable",
    `${entry.id} is not installed. Ask the administrator to run "loquat doctor", which explains how to install it.`,
    { param: "model" },
  );
}

function checkSpeed(id: string, { speech }: TtsManifest, { speed, streaming }: SpeechChoice): void {
  if (streaming && speed !== 1) {
    throw new Refusal("unsupported_speed", `${id} streams at speed 1.0 only, not ${speed}.`, {
      param: "speed",
    });
  }
  const { min, max } = speech.speed;
  if (speed >= min && speed <= max) return;
  const accepted = min === max ? `speed ${min.toFixed(1)} only` : `speeds from ${min} to ${max}`;
  throw new Refusal("unsupported_speed", `${id} accepts ${accepted}, not ${speed}.`, { param: "speed" });
}

/**
 * Resolves the names in a request to what will run: model, version, voice, format, speed. Every refusal names the model
 * and lists what it accepts.
 */

import type { SpeechFormat } from "../audio/encode.ts";
import { Refusal } from "../errors.ts";
import { primaryLanguage } from "../language-tag.ts";
import { type Catalogue, type Entry, isStt, isTts, type RecognitionNeeds } from "./catalogue.ts";
import { voiceNamed } from "./client-names.ts";
import {
  languagesOf,
  type Manifest,
  type SttManifest,
  type TtsManifest,
  type Use,
  usesOf,
  type Voice,
} from "./manifest.ts";
import { chooseFormat } from "./speech-format.ts";

/** `format` null: the alias's default, or WAV. */
type SpeechChoice = {
  model: string;
  voice: string;
  format: string | null;
  speed: number;
  streaming: boolean;
};

/** What a synthesis request resolves to. */
export type ChosenSpeech = { model: string; manifest: TtsManifest; voice: Voice; format: SpeechFormat };

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
      const chosen = whereAble(() => chooseModel(catalogue, { ...choice, model }));
      if (chosen) return chosen;
    }
    throw refusal;
  }
}

function whereAble<T>(choose: () => T): T | null {
  try {
    return choose();
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** `aliased`: the request names the model by an alias. */
type ModelChoice = SpeechChoice & { format: string; aliased: boolean };

function chooseModel(catalogue: Catalogue, request: ModelChoice): ChosenSpeech {
  const entry = entryOf(catalogue, request.model, SPEECH);
  const manifest = installedVersion(entry);
  const voice = chooseVoice(catalogue, { id: entry.id, manifest, requested: request.voice });
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
  diarized: boolean;
  /** Translated to English. */
  translated?: boolean;
};

/** What a recognition request resolves to. `language` null: detected by the engine; `spoken` is then assumed. */
export type ChosenRecognition = {
  model: string;
  manifest: SttManifest;
  engine: string;
  language: string | null;
  /** Where it is detected: one of these; empty: one of any. */
  languages: string[];
  spoken: string;
  /** Whether the engine uses a prompt and several languages. */
  hints: boolean;
};

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
  if (request.diarized && !manifest.hearing.diarization) {
    const accepted = "json, text, srt, verbose_json, vtt";
    throw new Refusal(
      "unsupported_response_format",
      `${entry.id} does not support diarization. It accepts ${accepted}.`,
      {
        param: "response_format",
      },
    );
  }
  const { language, languages = [], translated = false } = request;
  const use = request.streaming ? "streaming" : "batch";
  return chooseEngine(catalogue, { id: entry.id, manifest }, { use, language, languages, translated });
}

/** `model` null: the first that can. `transcribes`: the session is known to be one that only transcribes. */
type RealtimeChoice = { model: string | null; language: string | null; transcribes?: boolean };

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
  const engine = { use: "realtime", language: request.language, languages: [], translated: false } as const;
  return chooseEngine(catalogue, { id: entry.id, manifest }, engine);
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

function chooseVoice(
  catalogue: Catalogue,
  { id, manifest, requested }: { id: string; manifest: TtsManifest; requested: string },
): Voice {
  const isRequested = (voice: Voice) => voice.id === requested || voice.aliases.includes(requested);
  const bound = manifest.voices.find(isRequested) ?? catalogue.names.voice(requested, manifest.voices);
  if (bound) return bound;
  const accepted = `${id} speaks with ${manifest.voices.map((voice) => voice.id).join(", ")}.`;
  if (catalogue.voices.some(isRequested) || catalogue.names.voice(requested, catalogue.voices))
    throw new Refusal("voice_not_supported", `${requested} does not belong to ${id}. ${accepted}`, {
      param: "voice",
    });
  const namesake = voiceNamed(requested, manifest.voices);
  const hint = namesake ? ` The id of ${namesake.name} is ${namesake.id}.` : "";
  throw new Refusal("invalid_voice", `There is no voice ${requested}.${hint} ${accepted}`, {
    param: "voice",
  });
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

type EngineNeeds = Required<Pick<RecognitionChoice, "language" | "languages" | "translated">> & { use: Use };

/** The first engine for the use that understands the language; for an unknown one, the first that knows several. */
function chooseEngine(
  catalogue: Catalogue,
  { id, manifest }: { id: string; manifest: SttManifest },
  { use, translated, ...needs }: EngineNeeds,
): ChosenRecognition {
  const forUse = manifest.hearing.engines.filter(
    ({ uses, translates }) => uses.includes(use) && (!translated || translates === true),
  );
  if (translated && forUse.length === 0) throw noTranslation(catalogue, id);
  const named = needs.language || (needs.languages.length === 1 ? needs.languages[0]! : null);
  const asked = named === null ? needs.languages : [named];
  const several = forUse.filter(({ languages }) => languages.length > 1);
  const able = named === null && several.length > 0 ? several : forUse;
  for (const { engine, languages, hints = false } of able) {
    const known = asked.flatMap((tag) => matching(languages, tag) ?? []);
    if (asked.length > 0 && known.length === 0) continue;
    const language = named === null ? null : known[0]!;
    const spoken = known[0] ?? languages[0]!;
    return {
      model: id,
      manifest,
      engine,
      language,
      languages: language === null ? known : [],
      spoken,
      hints,
    };
  }
  throw unsupportedLanguage(catalogue, { id, manifest, asked: asked[0] ?? "", translated });
}

const noTranslation = (catalogue: Catalogue, id: string) =>
  new Refusal(
    "translation_not_supported",
    `${id} does not translate speech to English.${installing(catalogue, { language: null, translates: true })}`,
    { param: "model" },
  );

type Unsupported = { id: string; manifest: SttManifest; asked: string; translated: boolean };

function unsupportedLanguage(
  catalogue: Catalogue,
  { id, manifest, asked, translated }: Unsupported,
): Refusal {
  const verb = translated ? "translates" : "transcribes";
  const advice = installing(catalogue, { language: primaryLanguage(asked), translates: translated });
  return new Refusal(
    "unsupported_language",
    `${id} ${verb} ${languagesOf(manifest).join(", ")}, not ${asked}.${advice}`,
    { param: "language" },
  );
}

/** How to get what is not installed; empty where nothing helps. */
function installing({ packageFor }: Catalogue, needs: RecognitionNeeds): string {
  const name = packageFor(needs);
  if (name === null) return "";
  const what = needs.translates ? "translation" : needs.language;
  return ` The operator of this server can add ${what} with "loquat models pull ${name}".`;
}

/** A tag counts when its primary subtag is a language of the engine. */
function matching(languages: string[], tag: string): string | undefined {
  const primary = primaryLanguage(tag);
  return languages.find((candidate) => primaryLanguage(candidate) === primary);
}

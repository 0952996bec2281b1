/**
 * Resolves the names in a request to what will run: model, version, voice, format, speed. Every refusal names the model
 * and lists what it accepts.
 */

import { Refusal } from "../errors.ts";
import { primaryLanguage } from "../language-tag.ts";
import { type Catalogue, type Entry, isStt, isTts } from "./catalogue.ts";
import {
  languagesOf,
  type Manifest,
  type SttManifest,
  type TtsManifest,
  type Use,
  usesOf,
  type Voice,
} from "./manifest.ts";

type SpeechChoice = { model: string; voice: string; format: string; speed: number; streaming: boolean };

/** What a synthesis request resolves to. */
export type ChosenSpeech = { model: string; manifest: TtsManifest; voice: Voice; format: Format };
type Format = TtsManifest["speech"]["response_formats"][number];

export function chooseSpeech(catalogue: Catalogue, wanted: SpeechChoice): ChosenSpeech {
  const entry = entryOf(catalogue, wanted.model, SPEECH);
  const manifest = installedVersion(entry);
  const voice = chooseVoice(catalogue, { id: entry.id, manifest, wanted: wanted.voice });
  const format = chooseFormat(entry.id, manifest, wanted);
  checkSpeed(entry.id, manifest, wanted);
  return { model: entry.id, manifest, voice, format };
}

type RecognitionChoice = { model: string; language: string | null; streaming: boolean; diarized: boolean };

/** What a recognition request resolves to. `language` null: detected by the engine; `spoken` is then assumed. */
export type ChosenRecognition = {
  model: string;
  manifest: SttManifest;
  engine: string;
  language: string | null;
  spoken: string;
};

export function chooseRecognition(catalogue: Catalogue, wanted: RecognitionChoice): ChosenRecognition {
  const entry = entryOf(catalogue, wanted.model, RECOGNITION);
  const manifest = installedVersion(entry);
  if (wanted.streaming && !usesOf(manifest).includes("streaming")) {
    throw new Refusal(
      "invalid_model",
      `${entry.id} does not stream transcripts. Leave out stream to get the whole transcript.`,
      {
        param: "stream",
      },
    );
  }
  if (wanted.diarized && !manifest.hearing.diarization) {
    const accepted = "json, text, srt, verbose_json, vtt";
    throw new Refusal(
      "unsupported_response_format",
      `${entry.id} does not support diarization. It accepts ${accepted}.`,
      {
        param: "response_format",
      },
    );
  }
  return chooseEngine(entry.id, manifest, {
    use: wanted.streaming ? "streaming" : "batch",
    language: wanted.language,
  });
}

/** `model` null: the first that can. */
export function chooseRealtime(
  catalogue: Catalogue,
  wanted: { model: string | null; language: string | null },
): ChosenRecognition {
  const capable = catalogue.entries
    .filter(isStt)
    .filter(({ manifest }) => usesOf(manifest).includes("realtime"));
  const first = capable.find(({ version }) => version !== null) ?? capable[0];
  const entry = entryOf(catalogue, wanted.model ?? first?.id ?? "", RECOGNITION);
  if (!usesOf(entry.manifest).includes("realtime")) {
    const others = capable.map(({ id }) => id).join(", ") || "none";
    throw new Refusal(
      "realtime_not_supported",
      `${entry.id} does not support realtime sessions. Models that do: ${others}.`,
      { param: "model" },
    );
  }
  const manifest = installedVersion(entry);
  return chooseEngine(entry.id, manifest, { use: "realtime", language: wanted.language });
}

type Kind<M extends Manifest> = { name: string; is: (entry: Entry) => entry is Entry<M> };

const SPEECH: Kind<TtsManifest> = { name: "TTS", is: isTts };
const RECOGNITION: Kind<SttManifest> = { name: "STT", is: isStt };

function entryOf<M extends Manifest>(catalogue: Catalogue, name: string, kind: Kind<M>): Entry<M> {
  const entry = catalogue.find(name);
  if (entry && kind.is(entry) && entry.manifest.status !== "retired") return entry;
  const ids = catalogue.entries.filter(kind.is).map(({ id }) => id);
  throw new Refusal(
    "invalid_model",
    `${name} is not a ${kind.name} model. ${kind.name} models: ${ids.join(", ") || "none"}.`,
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
  { id, manifest, wanted }: { id: string; manifest: TtsManifest; wanted: string },
): Voice {
  const bound = manifest.voices.find((voice) => voice.id === wanted || voice.aliases.includes(wanted));
  if (bound) return bound;
  const accepted = `${id} speaks with ${manifest.voices.map((voice) => voice.id).join(", ")}.`;
  const known = catalogue.voices.some((voice) => voice.id === wanted || voice.aliases.includes(wanted));
  if (known)
    throw new Refusal("voice_not_supported", `${wanted} does not belong to ${id}. ${accepted}`, {
      param: "voice",
    });
  throw new Refusal("invalid_voice", `There is no voice ${wanted}. ${accepted}`, { param: "voice" });
}

function chooseFormat(id: string, { speech }: TtsManifest, { format, streaming }: SpeechChoice): Format {
  const accepted = streaming ? speech.streamable_formats : speech.response_formats;
  const chosen = accepted.find((candidate) => candidate === format);
  if (chosen) return chosen;
  const list = accepted.length > 0 ? accepted.join(", ") : "nothing";
  const verb = streaming ? "streams" : "produces";
  throw new Refusal("unsupported_response_format", `${id} ${verb} ${list}, not ${format}.`, {
    param: "response_format",
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

/** The first engine for the use that understands the language; for an unknown one, the first that knows several. */
function chooseEngine(
  model: string,
  manifest: SttManifest,
  wanted: { use: Use; language: string | null },
): ChosenRecognition {
  const forUse = manifest.hearing.engines.filter(({ uses }) => uses.includes(wanted.use));
  const asked = wanted.language === "" ? null : wanted.language;
  const several = forUse.filter(({ languages }) => languages.length > 1);
  const able = asked === null && several.length > 0 ? several : forUse;
  for (const { engine, languages } of able) {
    const language = asked === null ? null : matching(languages, asked);
    if (language !== undefined)
      return { model, manifest, engine, language, spoken: language ?? languages[0]! };
  }
  throw new Refusal(
    "unsupported_language",
    `${model} transcribes ${languagesOf(manifest).join(", ")}, not ${asked}.`,
    { param: "language" },
  );
}

/** A tag counts when its primary subtag is a language of the engine. */
function matching(languages: string[], tag: string): string | undefined {
  const primary = primaryLanguage(tag);
  return languages.find((candidate) => primaryLanguage(candidate) === primary);
}

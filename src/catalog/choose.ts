/**
 * From what a caller named to what will run: model, version, voice, format, speed. Every refusal names the model
 * and lists what it accepts.
 */
import { Fault } from "../errors.ts";
import { type Catalogue, type Entry, isHearing, isSpeech } from "./catalogue.ts";
import type { HearingManifest, Manifest, SpeechManifest, Voice } from "./manifest.ts";

type SpeechChoice = { model: string; voice: string; format: string; speed: number; streaming: boolean };

/** What will speak: never null inside, or a fault was thrown. */
export type ChosenSpeech = { model: string; manifest: SpeechManifest; voice: Voice; format: Format };
type Format = SpeechManifest["speech"]["response_formats"][number];

export function chooseSpeech(catalogue: Catalogue, wanted: SpeechChoice): ChosenSpeech {
  const entry = entryOf(catalogue, wanted.model, SPEECH);
  const manifest = installedVersion(entry);
  const voice = chooseVoice(catalogue, { id: entry.id, manifest, wanted: wanted.voice });
  const format = chooseFormat(entry.id, manifest, wanted);
  checkSpeed(entry.id, manifest, wanted);
  return { model: entry.id, manifest, voice, format };
}

type HearingChoice = { model: string; language: string | null; streaming: boolean; diarized: boolean };

export type ChosenHearing = { model: string; manifest: HearingManifest; language: string | null };

export function chooseHearing(catalogue: Catalogue, wanted: HearingChoice): ChosenHearing {
  const entry = entryOf(catalogue, wanted.model, HEARING);
  const manifest = installedVersion(entry);
  if (wanted.streaming && !manifest.hearing.capabilities.includes("streaming")) {
    throw new Fault(
      "invalid_model",
      `${entry.id} cannot stream. Leave out stream to get the whole transcript.`,
      {
        param: "stream",
      },
    );
  }
  if (wanted.diarized && !manifest.hearing.diarization) {
    const accepted = "json, text, srt, verbose_json, vtt";
    throw new Fault(
      "unsupported_response_format",
      `${entry.id} does not tell speakers apart. It accepts ${accepted}.`,
      {
        param: "response_format",
      },
    );
  }
  return { model: entry.id, manifest, language: chooseLanguage(entry.id, manifest, wanted.language) };
}

/** `model` null: the first that can. */
export function chooseRealtime(
  catalogue: Catalogue,
  wanted: { model: string | null; language: string | null },
): ChosenHearing {
  const capable = catalogue.entries
    .filter(isHearing)
    .filter(({ shown }) => shown.hearing.capabilities.includes("realtime"));
  const first = capable.find(({ version }) => version !== null) ?? capable[0];
  const entry = entryOf(catalogue, wanted.model ?? first?.id ?? "", HEARING);
  if (!entry.shown.hearing.capabilities.includes("realtime")) {
    const others = capable.map(({ id }) => id).join(", ") || "none";
    throw new Fault(
      "realtime_not_supported",
      `${entry.id} cannot hold a live session. Send files to POST /v1/audio/transcriptions. Models that can: ${others}.`,
      { param: "model" },
    );
  }
  const manifest = installedVersion(entry);
  return { model: entry.id, manifest, language: chooseLanguage(entry.id, manifest, wanted.language) };
}

type Kind<M extends Manifest> = { name: string; is: (entry: Entry) => entry is Entry<M> };

const SPEECH: Kind<SpeechManifest> = { name: "TTS", is: isSpeech };
const HEARING: Kind<HearingManifest> = { name: "STT", is: isHearing };

function entryOf<M extends Manifest>(catalogue: Catalogue, name: string, kind: Kind<M>): Entry<M> {
  const entry = catalogue.find(name);
  if (entry && kind.is(entry) && entry.shown.status !== "retired") return entry;
  const ids = catalogue.entries.filter(kind.is).map(({ id }) => id);
  throw new Fault(
    "invalid_model",
    `${name} is not a ${kind.name} model. ${kind.name} models: ${ids.join(", ") || "none"}.`,
    { param: "model" },
  );
}

function installedVersion<M extends Manifest>(entry: Entry<M>): M {
  if (entry.version) return entry.version;
  throw new Fault(
    "model_unavailable",
    `${entry.id} is listed, but no version of it is installed here. Ask the operator to run "loquat doctor", which says how to install it.`,
    { param: "model" },
  );
}

function chooseVoice(
  catalogue: Catalogue,
  { id, manifest, wanted }: { id: string; manifest: SpeechManifest; wanted: string },
): Voice {
  const bound = manifest.voices.find((voice) => voice.id === wanted || voice.aliases.includes(wanted));
  if (bound) return bound;
  const accepted = `${id} speaks with ${manifest.voices.map((voice) => voice.id).join(", ")}.`;
  const known = catalogue.voices.some((voice) => voice.id === wanted || voice.aliases.includes(wanted));
  if (known)
    throw new Fault("voice_not_supported", `${wanted} does not belong to ${id}. ${accepted}`, {
      param: "voice",
    });
  throw new Fault("invalid_voice", `There is no voice ${wanted}. ${accepted}`, { param: "voice" });
}

function chooseFormat(id: string, { speech }: SpeechManifest, { format, streaming }: SpeechChoice): Format {
  const accepted = streaming ? speech.streamable_formats : speech.response_formats;
  const chosen = accepted.find((candidate) => candidate === format);
  if (chosen) return chosen;
  const list = accepted.length > 0 ? accepted.join(", ") : "nothing";
  const verb = streaming ? "streams" : "produces";
  throw new Fault("unsupported_response_format", `${id} ${verb} ${list}, not ${format}.`, {
    param: "response_format",
  });
}

function checkSpeed(id: string, { speech }: SpeechManifest, { speed, streaming }: SpeechChoice): void {
  if (streaming && speed !== 1) {
    throw new Fault("unsupported_speed", `${id} streams at speed 1.0 only, not ${speed}.`, {
      param: "speed",
    });
  }
  const { min, max } = speech.speed;
  if (speed >= min && speed <= max) return;
  const accepted = min === max ? `speed ${min.toFixed(1)} only` : `speeds from ${min} to ${max}`;
  throw new Fault("unsupported_speed", `${id} accepts ${accepted}, not ${speed}.`, { param: "speed" });
}

/** A tag counts when its primary subtag is a language of the model; "" and null mean: detect it. */
function chooseLanguage(id: string, { hearing }: HearingManifest, language: string | null): string | null {
  if (language === null || language === "") return null;
  const primary = language.toLowerCase().split(/[-_]/)[0]!;
  const chosen = hearing.languages.find((candidate) => candidate.toLowerCase().split("-")[0] === primary);
  if (chosen) return chosen;
  throw new Fault(
    "unsupported_language",
    `${id} transcribes ${hearing.languages.join(", ")}, not ${language}.`,
    {
      param: "language",
    },
  );
}

/** The model and voice objects of the API, exactly as the specification's sections 2.1 to 2.4 list their fields. */
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { BoundVoice, Entry } from "./catalogue.ts";
import { languagesOf, type Manifest, usesOf } from "./manifest.ts";

export function modelObject({ id, shown }: Entry) {
  return {
    id,
    object: "model",
    created: shown.created,
    owned_by: shown.owned_by,
    name: shown.name,
    type: shown.type,
    description: shown.description,
    capabilities: capabilities(shown),
    supported_languages: languages(shown),
    status: shown.status,
    public_version: shown.version,
    shutdown_date: shown.shutdown_date,
    speech_options: shown.type === "tts" ? speechOptions(shown) : null,
  };
}

export function voiceObject(voice: BoundVoice) {
  return {
    id: voice.id,
    name: voice.name,
    language: voice.language,
    locale: voice.locale,
    gender: voice.gender,
    preview_url: null,
    status: "available",
    metadata: { ...voice.metadata, sample_rate: TTS_SAMPLE_RATE, models: voice.models },
  };
}

/** A TTS model's capabilities follow from its formats; an STT model declares its own. */
function capabilities(manifest: Manifest): string[] {
  if (manifest.type === "stt") return usesOf(manifest);
  return manifest.speech.streamable_formats.length > 0 ? ["batch", "streaming"] : ["batch"];
}

function languages(manifest: Manifest): string[] {
  if (manifest.type === "stt") return languagesOf(manifest);
  return [...new Set(manifest.voices.map((voice) => voice.language))];
}

function speechOptions({ speech }: Manifest & { type: "tts" }) {
  const { response_formats, streamable_formats, speed, instructions } = speech;
  return { response_formats, streamable_formats, speed, instructions };
}

/** Who is on the other side: the recognizer of what a voice spoke, the voice of what is recognized. */
import { Refusal } from "../../src/errors.ts";
import type { BoundVoice, Catalogue } from "../../src/models/catalogue.ts";
import { chooseRecognition } from "../../src/models/choose.ts";
import { isEmbedded } from "../../src/models/manifest.ts";

/** The engine of the best recognizer of files; null where none recognizes the language. */
export function recognizerOf(catalogue: Catalogue, language: string): string | null {
  try {
    const request = { model: "svc-stt1", language, streaming: false };
    return chooseRecognition(catalogue, request).engine;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** A voice of a package rather than an embedded one; null where none speaks the language. */
export function voiceOf({ voices }: Catalogue, language: string): BoundVoice | null {
  const all = voices.filter((voice) => voice.language === language);
  return all.find(({ engine }) => !isEmbedded(engine)) ?? all[0] ?? null;
}

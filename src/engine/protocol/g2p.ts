/** The task of a process that converts text to phonemes (G2P); its result is a string of phonemes. */
import { primaryLanguage } from "../../language-tag.ts";
import type { TextContext } from "./synthesis.ts";

/** `alphabet`: plain IPA, or Kokoro's. `voice` is eSpeak NG's name of a language. */
export type G2pTask = {
  kind: "phonemes";
  text: string;
  /** Of a part of a sentence, whose phonemes are those that it has in the sentence. */
  context?: TextContext;
  alphabet: "ipa" | "kokoro";
  voice: string;
  /** The IPA of signs in the text and around it. */
  pronounced?: Record<string, { ipa: string }>;
};

const VOICES: Record<string, string> = {
  en: "en-us",
  "en-us": "en-us",
  "en-gb": "en-gb",
  pt: "pt-br",
  zh: "cmn",
};

/** eSpeak NG's name for a language tag. */
export function espeakVoice(tag: string): string {
  const lower = tag.toLowerCase();
  const primary = primaryLanguage(tag);
  const name = [lower, primary].find((tag) => Object.hasOwn(VOICES, tag));
  return name === undefined ? primary : VOICES[name]!;
}

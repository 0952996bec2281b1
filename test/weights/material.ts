/** What is spoken and recognized: sentences of each language, and the recordings of people where they are at hand. */
import { clip, hasClips, references } from "../clips.ts";
import { DECLARATION } from "./declaration.ts";
import { SENTENCES } from "./sentences.ts";

const TEXTS: Record<string, string[]> = { ...DECLARATION, ...SENTENCES };

/** Evenly among all, so that few are as different as many. */
export function sentencesOf(language: string, most: number): string[] {
  const all = TEXTS[language] ?? [];
  const step = Math.max(1, Math.floor(all.length / most));
  return all.filter((_, at) => at % step === 0).slice(0, most);
}

/** Of these languages, those with sentences; the ones with most of them first. */
export const spokenOf = (languages: readonly string[]): string[] =>
  [...new Set(languages.map((language) => language.split("-")[0]!))]
    .filter((language) => TEXTS[language] !== undefined)
    .toSorted((a, b) => TEXTS[b]!.length - TEXTS[a]!.length);

export const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

export type Recording = { samples: Float32Array; text: string };

/** At 16 kHz; none where the recordings are not at hand. */
export async function recordingsOf(language: string, most: number): Promise<Recording[]> {
  if (!hasClips) return [];
  const known = references(language).slice(0, most);
  return Promise.all(known.map(async ([path, text]) => ({ samples: await clip(path), text })));
}

/**
 * English phonemes as the programs give them that Piper's and Kokoro's voices are used with, and where those of this
 * project are known to differ. `references.json` has them for segments as a plan writes them out: Piper's by piper-tts 1.8.0
 * (eSpeak NG 1.52), Kokoro's by misaki 0.9.4 with spaCy's en_core_web_sm 3.8.0, and eSpeak NG for unknown words.
 */
import type { G2pTask } from "../../../src/engine/protocol/g2p.ts";
import references from "./references.json";

export type Reference = "piper" | "kokoro";
export const REFERENCES: readonly ({ text: string } & Record<Reference, string>)[] = references;

/** What the engines of both ask for. */
export const ASKED: Record<Reference, Omit<G2pTask, "text">> = {
  piper: { kind: "phonemes", alphabet: "ipa", voice: "en-us" },
  kokoro: { kind: "phonemes", alphabet: "kokoro", voice: "en-us" },
};

/** A word here, and in the reference. `text`: how the only segment begins in which it may differ so. */
type Difference = { here: string; there: string; text?: string; reason: string };

const TENSE = "The tagger of the reference knows that this is the past; here, no word nearby tells it.";

export const KNOWN: Record<Reference, readonly Difference[]> = {
  piper: [],
  kokoro: [
    { here: "ɹˈid", there: "ɹˈɛd", text: "I read", reason: TENSE },
    { here: "ɹˈid", there: "ɹˈɛd", text: "When the last", reason: TENSE },
    { here: "nˈObɑdi", there: "“nˈObˌɑdi", reason: "Single quotation marks are not pronounced here." },
    { here: "hˈɪɹ.", there: "hˈɪɹ.”", reason: "Single quotation marks are not pronounced here." },
    { here: "ðæt", there: "ðˈæt", text: "Nobody came", reason: "The reference stresses a demonstrative." },
  ],
};

/** A glide between vowels, which the newer eSpeak NG of piper-tts writes. */
const GLIDE = /ʲ/g;

export type Compared = { words: number; differing: number; unlisted: string[] };

/** Word by word; one more or less makes the whole segment an unlisted difference. */
export function compare(reference: Reference, { text, here, there }: Pair): Compared {
  const [ours, theirs] = [wordsOf(here), wordsOf(there)];
  if (ours.length !== theirs.length)
    return { words: theirs.length, differing: theirs.length, unlisted: [`"${text}": ${here} / ${there}`] };
  const differing = ours.flatMap((word, at) => (word === theirs[at] ? [] : [{ word, other: theirs[at]! }]));
  const unlisted = differing
    .filter(({ word, other }) => reference !== "piper" || word !== other.replace(GLIDE, ""))
    .filter(({ word, other }) => !KNOWN[reference].some((each) => explains(each, { text, word, other })))
    .map(({ word, other }) => `"${text}": ${word} / ${other}`);
  return { words: theirs.length, differing: differing.length, unlisted };
}

type Pair = { text: string; here: string; there: string };

type Found = { text: string; word: string; other: string };

const explains = ({ here, there, text: begin = "" }: Difference, { text, word, other }: Found): boolean =>
  text.startsWith(begin) && wordsOf(here)[0] === word && wordsOf(there)[0] === other;

const wordsOf = (phonemes: string): string[] => phonemes.normalize("NFD").split(/\s+/).filter(Boolean);

/** How much an answer about a recording may hold; what holds more is faulty before anything is made of it. */
import { FaultyAnswer } from "./faulty-answer.ts";

/** The fastest speech has 25 characters a second, and recognizers that repeat themselves some 50. */
const CHARACTERS = { perSecond: 60, least: 4000 };
/** As JSON: a word with its times and probability takes some 110 bytes, a segment with its tokens some 700. */
const BYTES = { perSecond: 4096, least: 256 * 1024 };

const charactersMax = (seconds: number) => CHARACTERS.least + Math.ceil(seconds * CHARACTERS.perSecond);

export const jsonBytesMax = (seconds: number): number => BYTES.least + Math.ceil(seconds * BYTES.perSecond);

/** Throws `FaultyAnswer` where so many characters are more than so many seconds can hold. */
export function checkCharacters(characters: number, seconds: number): void {
  if (characters > charactersMax(seconds))
    throw new FaultyAnswer(`${characters} characters for ${seconds.toFixed(1)} s of audio`);
}

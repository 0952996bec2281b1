/** How much an answer about a recording may hold; what holds more is faulty before anything is made of it. */
import { FaultyAnswer } from "./faulty-answer.ts";

/** The fastest speech has 25 characters a second, and recognizers that repeat themselves some 50. */
const CHARACTERS = { perSecond: 60, least: 4000 };
/** As JSON: a word with its times and probability takes some 110 bytes, a segment with its tokens some 700. */
const BYTES = { perSecond: 4096, least: 256 * 1024 };

const charactersMax = (seconds: number) => CHARACTERS.least + Math.ceil(seconds * CHARACTERS.perSecond);

export const jsonBytesMax = (seconds: number): number => BYTES.least + Math.ceil(seconds * BYTES.perSecond);

/** Of a live connection: a token is an event, and so is the receipt of each piece of audio. */
const EVENTS = { perSecond: 200, least: 1000 };
const BYTES_OF_ONE = 4; // so many times what one answer may have: each event repeats what it belongs to

/** Throws `FaultyAnswer` where a live connection sent more events, or longer ones, than so many seconds can have. */
export function checkEvents({ events, bytes }: { events: number; bytes: number }, seconds: number): void {
  const eventsMax = EVENTS.least + Math.ceil(seconds * EVENTS.perSecond);
  if (events > eventsMax || bytes > BYTES_OF_ONE * jsonBytesMax(seconds))
    throw new FaultyAnswer(`${events} events of ${bytes} bytes for ${seconds.toFixed(1)} s of audio`);
}

/** Throws `FaultyAnswer` where so many characters are more than so many seconds can hold. */
export function checkCharacters(characters: number, seconds: number): void {
  if (characters > charactersMax(seconds))
    throw new FaultyAnswer(`${characters} characters for ${seconds.toFixed(1)} s of audio`);
}

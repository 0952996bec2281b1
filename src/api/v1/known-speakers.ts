/**
 * The people whom a caller knows: their names, and recordings of their voices as data URLs.
 *
 *   known_speaker_names[]        Ada                      Grace
 *   known_speaker_references[]   data:audio/wav;base64,…  data:audio/mpeg;base64,…
 */
import { type Detail, invalidInput } from "../../errors.ts";
import type { KnownSpeaker } from "../../metered/transcription.ts";

type Fields = { known_speaker_names?: string[]; known_speaker_references?: string[] };

export const KNOWN_SPEAKERS_MAX = 4;

/** Throws where names and references do not belong together, or are not what they must be. */
export function readKnownSpeakers(fields: Fields): KnownSpeaker[] {
  const { known_speaker_names: names = [], known_speaker_references: references = [] } = fields;
  const details: Detail[] = [];
  if (names.length !== references.length)
    details.push({
      field: references.length < names.length ? "known_speaker_references" : "known_speaker_names",
      code: "malformed",
      message: "must be as many names as references, in the same order",
    });
  for (const [index, name] of names.entries())
    if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || name.trim() === "" || names.indexOf(name) < index)
      details.push({
        field: `known_speaker_names.${index}`,
        code: "malformed",
        message: "must be one line of text, and another name than the others",
      });
  const bytes = references.map(bytesOf);
  for (const [index, each] of bytes.entries())
    if (each === null)
      details.push({
        field: `known_speaker_references.${index}`,
        code: "malformed",
        message: "must be a data URL of a recording in base64, such as data:audio/wav;base64,…",
      });
  if (details.length > 0) throw invalidInput(details);
  return names.map((name, index) => ({ name, reference: bytes[index]! }));
}

const HEAD_MAX = 200;

/** Null where it is no data URL in base64. */
function bytesOf(url: string): Uint8Array | null {
  const comma = url.slice(0, HEAD_MAX).indexOf(",");
  const head = url.slice(0, Math.max(0, comma)).toLowerCase();
  const content = url.slice(comma + 1);
  if (!head.startsWith("data:") || !head.endsWith(";base64") || !/^[A-Za-z0-9+/]+={0,2}$/.test(content))
    return null;
  return Buffer.from(content, "base64");
}

/** Languages that engines of phonemes cannot speak, because nothing here reads them. */
import { alphabetOf, type Family } from "./families.ts";

/** By primary subtag, why. */
const UNREAD: Record<string, string> = {
  ja: "Japanese needs a dictionary of readings, which Loquat does not have: eSpeak NG would name each character instead of reading it",
};

/** Why a family does not speak a language as a voice of its package says; null where nothing is known against it. */
export function unreadReason(family: Family, language: string): string | null {
  return alphabetOf(family) === null ? null : (UNREAD[language] ?? null);
}

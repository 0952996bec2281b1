/** Which voices the library shows, as its address has it. Pure. */

import { primaryOf } from "../../format/language-name.ts";
import type { Package } from "../../operator/packages/package.ts";
import type { Voice } from "../../playground/access/catalogue.ts";
import { isVoiceLike } from "../../playground/voices/voice-words.ts";

/** Each is empty where it is not set. */
export type VoiceFilter = Record<(typeof FIELDS)[number], string>;

const FIELDS = ["find", "language", "gender", "style", "show", "model"] as const;

/** Beside `offered`, for those who can install voices. */
export const SHOWN = ["favourites", "own", "installed"] as const;

export const voiceFilterOf = (address: URLSearchParams): VoiceFilter =>
  Object.fromEntries(FIELDS.map((name) => [name, address.get(name) ?? ""])) as VoiceFilter;

/** The part of the address that says the same. */
export const addressOf = (filter: VoiceFilter): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));

/** Made by the organization, from a recording or of other voices. */
export const isOwn = ({ id }: Pick<Voice, "id">): boolean => id.startsWith("voice_");

export function voicesLike(voices: Voice[], filter: VoiceFilter, isFavourite: (id: string) => boolean) {
  return voices.filter(
    (voice) =>
      matches(voice, filter) &&
      filter.show !== "offered" &&
      (filter.show !== "favourites" || isFavourite(voice.id)) &&
      (filter.show !== "own" || isOwn(voice)),
  );
}

function matches(voice: Voice, { find, language, gender, style }: VoiceFilter): boolean {
  return (
    (language === "" || primaryOf(voice.language) === language) &&
    (gender === "" || voice.gender === gender) &&
    (style === "" || voice.metadata.style === style) &&
    isVoiceLike(voice, find)
  );
}

/** The voices that a package brings, as the catalogue would list them. */
export const voicesOf = ({ voices }: Package): Voice[] =>
  voices.map(({ style, description, ...voice }) => ({ ...voice, metadata: { style, description } }));

/** Packages of voices that are not installed: one fits if a voice of it does, and without a list of them by its title. */
export function offeredLike(packages: Package[], filter: VoiceFilter): Package[] {
  if (filter.show !== "" && filter.show !== "offered") return [];
  const missing = packages.filter(
    ({ task, installed_version }) => task === "synthesis" && installed_version === null,
  );
  return missing.filter((item) => {
    const asVoices = item.voices.length > 0 ? voicesOf(item) : [whole(item, filter)];
    return asVoices.some((voice) => matches(voice, filter));
  });
}

/** A package that does not list its voices has them of each gender and style. */
const whole = ({ name, title, languages }: Package, filter: VoiceFilter): Voice => ({
  id: name,
  name: title,
  language:
    languages.map(primaryOf).find((each) => each === filter.language) ?? languages[0] ?? filter.language,
  locale: "",
  gender: filter.gender,
  metadata: { style: filter.style },
});

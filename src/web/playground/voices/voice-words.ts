/** What is said of a voice in a list, and the words by which it is found. Pure. */

import { languageName } from "../../format/language-name.ts";
import { wordsIn } from "../../format/search-words.ts";
import { LOCALE } from "../../language/chosen.ts";
import { speakTexts } from "../../language/en/speak.ts";
import type { Voice } from "../access/catalogue.ts";

/** "United States · female · warm": the region, where the locale has one. */
export function describeVoice({ locale, gender, metadata }: Voice): string {
  const [, region] = locale.split("-");
  return [region && regionName(region), genderName(gender), metadata.style].filter(Boolean).join(" · ");
}

const GENDERS = ["female", "male", "neutral"] as const;

/** As it is, where it is none of the catalogue's. */
export function genderName(gender: string): string {
  const known = GENDERS.find((each) => each === gender);
  return known ? speakTexts()(known) : gender;
}

const regions = new Intl.DisplayNames(LOCALE, { type: "region", style: "short" });

function regionName(region: string): string {
  try {
    return regions.of(region) ?? region;
  } catch {
    return region; // a script, or what the catalogue calls a region
  }
}

/** Every word is in what is known of the voice. */
export function isVoiceLike(
  { id, name, language, locale, gender, metadata }: Voice,
  search: string,
): boolean {
  const text = [
    id,
    name,
    languageName(language),
    locale,
    gender,
    genderName(gender),
    metadata.style,
    metadata.description,
  ];
  const all = text.join(" ").toLowerCase();
  return wordsIn(search).every((word) => (word === "male" ? gender === "male" : all.includes(word)));
}

/** Which packages an operator is offered: those that suit the machine, in the languages that are spoken there. */
import { primaryOf } from "../../format/language-name.ts";
import type { Package } from "./package.ts";

/** What the built-in voices speak. */
const BUILT_IN = "en";

const isVoice = ({ task }: Package): boolean => task === "synthesis";
/** Packages of many voices, such as Kokoro, name no languages: the models that use them do. */
const speaks = ({ languages }: Package, language: string): boolean =>
  languages.some((tag) => primaryOf(tag) === language);

/** Languages that any package speaks. */
export const spokenLanguages = (all: Package[]): string[] => [
  ...new Set(all.filter(isVoice).flatMap(({ languages }) => languages.map(primaryOf))),
];

/** Of the browser's languages, those that a package speaks; English where it is none. */
export function browserLanguages(all: Package[], wanted: readonly string[]): string[] {
  const spoken = spokenLanguages(all);
  const found = [...new Set(wanted.map(primaryOf))].filter((language) => spoken.includes(language));
  return found.length > 0 ? found : ["en"];
}

/**
 * What is recommended for the machine, without voices of other languages; and for a language that neither these nor the built-in
 * voices speak the smallest package that asks for no acceptance of its licence.
 */
export function offeredFor(all: Package[], languages: readonly string[]): Package[] {
  const isWanted = (item: Package) =>
    item.languages.length === 0 || languages.some((language) => speaks(item, language));
  const recommended = all.filter((item) => item.recommended && (!isVoice(item) || isWanted(item)));
  const silent = languages.filter(
    (language) =>
      language !== BUILT_IN && !recommended.some((item) => isVoice(item) && speaks(item, language)),
  );
  const added = silent.flatMap((language) => {
    const voices = all.filter((item) => isVoice(item) && speaks(item, language) && !item.license.acceptance);
    const size = (item: Package) => item.bytes ?? Number.POSITIVE_INFINITY;
    return voices.sort((a, b) => size(a) - size(b)).slice(0, 1);
  });
  return [...recommended, ...added.filter((item, index) => added.indexOf(item) === index)];
}

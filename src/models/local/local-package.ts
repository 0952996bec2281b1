/** The package of an operator's files: what they say, and what the operator said about them. */
import { unreadReason } from "../../engine/families/readers.ts";
import { primaryLanguage } from "../../language-tag.ts";
import type { Package } from "../packages/package.ts";
import { LocalFilesError } from "./file-list.ts";
import type { LocalModel, LocalVoice } from "./local-model.ts";

export type Answers = {
  name: string;
  /** A date. */
  version: string;
  license: { spdx: string; url: string };
  /** What it speaks or recognizes, in place of what the files say; null: as they say. */
  locale: string | null;
};

export type SpeakingVoice = LocalVoice & { locale: string };

/** `taken`: whether another package has a voice of that id. */
type Offered = { voices: SpeakingVoice[]; taken: (id: string) => boolean };

export function localPackage(
  model: LocalModel,
  { name, version, license, locale }: Answers,
  { voices, taken }: Offered,
): Omit<Package, "files"> {
  const recognition = model.recognition.map((each) =>
    locale === null ? each : { ...each, languages: [primaryLanguage(locale)] },
  );
  return {
    ...{ name, version, family: model.family, title: `${model.stem}: ${model.kind}, added here` },
    license: { ...license, acceptance: false, attribution: model.stem },
    sources: [],
    variants: { cpu: [], gpu: [] },
    options: {},
    published: "",
    ...(voices.length > 0 ? { voices: voicesOf(voices, name, taken) } : {}),
    ...(recognition.length > 0 ? { recognition } : {}),
  };
}

/**
 * The voices that will be understood: in one language that all speak, or each in that of its name. Those of a language that
 * nothing here reads are left out; refuses where no other is left.
 */
export function readableVoices(
  { family, voices: all }: LocalModel,
  locale: string | null,
): { voices: SpeakingVoice[]; remarks: string[] } {
  const voices = all.map((voice) => ({ ...voice, locale: locale ?? voice.locale! }));
  const reasonOf = ({ locale }: SpeakingVoice) => unreadReason(family, primaryLanguage(locale));
  const unread = voices.filter((voice) => reasonOf(voice) !== null);
  if (unread.length === 0) return { voices, remarks: [] };
  const names = unread.map(({ speaker }) => speaker).join(", ");
  const reason = reasonOf(unread[0]!)!;
  if (unread.length === voices.length)
    throw new LocalFilesError(
      `${names} would not be understood: ${reason}. To hear them in another language, name it with --language, such as --language en-US.`,
    );
  return {
    voices: voices.filter((voice) => reasonOf(voice) === null),
    remarks: [`Left out: ${names}. ${reason}.`],
  };
}

function voicesOf(
  voices: SpeakingVoice[],
  pkg: string,
  taken: (voice: string) => boolean,
): NonNullable<Package["voices"]> {
  return voices.map(({ id, name, speaker, locale, gender }) => {
    const spoken = name.replace(/[_-]+/g, " ").trim() || speaker;
    return {
      id: taken(id) ? `${pkg}-${id}` : id,
      name: spoken[0]!.toUpperCase() + spoken.slice(1),
      language: primaryLanguage(locale),
      ...{ locale, gender, speaker },
      aliases: [],
      metadata: { style: null, age: null, description: null, use_cases: [] },
    };
  });
}

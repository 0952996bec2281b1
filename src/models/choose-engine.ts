/** Chooses the engine of a model for a recognition: by its use, by the language, and by what else is asked of it. */
import { Refusal } from "../errors.ts";
import { languageCode, languageHint, primaryLanguage } from "../language-tag.ts";
import type { AskedAbility, Catalogue, RecognitionNeeds } from "./catalogue.ts";
import { languagesOf, type SttManifest, type Use } from "./manifest.ts";

/** What a recognition request resolves to. `language` null: detected by the engine; then the server assumes one. */
export type ChosenEngine = {
  model: string;
  manifest: SttManifest;
  engine: string;
  language: string | null;
  /** Where it is detected: one of these; empty: one of any. */
  languages: string[];
  assumedLanguage: string;
  /** Whether the engine uses a prompt. */
  hints: boolean;
  /** Whether it prefers given words. */
  keywords: boolean;
};

/** The language that will be heard, as a code; null where it is yet to be detected. */
export function knownLanguage({ language, engine, manifest }: ChosenEngine): string | null {
  const { languages = [] } = manifest.recognition.engines.find((each) => each.engine === engine) ?? {};
  return languageCode(language ?? (languages.length === 1 ? languages[0]! : null));
}

export type EngineNeeds = {
  use: Use;
  language: string | null;
  languages: readonly string[];
  translated: boolean;
  /** Some words must be preferred. */
  keywords: boolean;
  /** The field that asks when each word was spoken; null: none does. */
  wordTimes: string | null;
};

/**
 * `name`: as refusals name the model.
 *
 * The first engine for the use that understands the language, and can do what else is asked; for an unknown language, the
 * first that knows several.
 */
export function chooseEngine(
  catalogue: Catalogue,
  { id, name, manifest }: { id: string; name: string; manifest: SttManifest },
  { use, translated, ...needs }: EngineNeeds,
): ChosenEngine {
  const forUse = manifest.recognition.engines.filter(
    ({ uses, translates }) => uses.includes(use) && (!translated || translates === true),
  );
  if (translated && forUse.length === 0) throw noTranslation(catalogue, name);
  const among = needs.languages.flatMap((each) => languageHint(each) ?? []);
  const named = languageHint(needs.language) ?? (among.length === 1 ? among[0]! : null);
  const asked = named === null ? among : [named];
  const several = forUse.filter(({ languages }) => languages.length > 1);
  const fitting = named === null && several.length > 0 ? several : forUse;
  const candidates = fitting.flatMap(({ engine, languages, hints = false, keywords = false, ...rest }) => {
    const known = [...new Set(asked.flatMap((tag) => matching(languages, tag) ?? []))];
    if (asked.length > 0 && known.length === 0) return [];
    const language = known.length === 1 ? known[0]! : null;
    const assumedLanguage = known[0] ?? languages[0]!;
    return [
      {
        engine,
        language,
        languages: language === null ? known : [],
        assumedLanguage,
        hints,
        keywords,
        missing: missingAbilityOf({ keywords, known, ...rest }, needs),
      },
    ];
  });
  const able = candidates.find(({ missing }) => missing === null);
  if (able) {
    const { missing: _, ...chosen } = able;
    return { model: id, manifest, ...chosen };
  }
  if (candidates[0]) throw unsupportedParameter(catalogue, { name, manifest }, candidates[0].missing!);
  throw unsupportedLanguage(catalogue, { name, manifest, asked: asked[0] ?? "", translated });
}

type Candidate = {
  keywords: boolean;
  /** Which of the languages that are asked for it knows. */
  known: string[];
  among?: boolean;
  language_required?: boolean;
  estimated_times?: boolean;
};

/** What an engine cannot do of what is asked: the field, and the advice that the refusal ends with. */
type MissingAbility = { ability: AskedAbility; param: string };

function missingAbilityOf(
  candidate: Candidate,
  { keywords, wordTimes }: Omit<EngineNeeds, "use" | "translated">,
): MissingAbility | null {
  const { known, among, language_required, estimated_times } = candidate;
  if (keywords && !candidate.keywords) return { ability: "keywords", param: "keywords" };
  if (known.length > 1 && !among) return { ability: "languages", param: "languages" };
  if (known.length === 0 && language_required) return { ability: "detection", param: "language" };
  return wordTimes !== null && estimated_times ? { ability: "word_times", param: wordTimes } : null;
}

const VERBS: Record<AskedAbility, string> = {
  keywords: "prefer keywords",
  languages: "detect one of several languages that are named",
  detection: "detect the language",
  word_times: "tell when each word was spoken",
};

function unsupportedParameter(
  { packageFor }: Catalogue,
  { name, manifest }: { name: string; manifest: SttManifest },
  { ability, param }: MissingAbility,
): Refusal {
  const missing = packageFor({ language: null, translates: false, does: ability });
  const what = ability === "keywords" ? "keywords" : "a model that can";
  const advice =
    missing && ` The operator of this server can add ${what} with "loquat models pull ${missing}".`;
  const remedy =
    ability === "detection"
      ? `Name it in language: ${languagesOf(manifest).join(", ")}.`
      : `Leave out ${param}.`;
  const message = `${name} cannot ${VERBS[ability]} with the engine that is installed. ${remedy}${advice ?? ""}`;
  const code = ability === "word_times" ? "word_times_not_supported" : "unsupported_parameter";
  return new Refusal(code, message, { param });
}

const noTranslation = (catalogue: Catalogue, name: string) =>
  new Refusal(
    "translation_not_supported",
    `${name} does not translate speech to English.${installing(catalogue, { language: null, translates: true })}`,
    { param: "model" },
  );

type Unsupported = { name: string; manifest: SttManifest; asked: string; translated: boolean };

function unsupportedLanguage(
  catalogue: Catalogue,
  { name, manifest, asked, translated }: Unsupported,
): Refusal {
  const verb = translated ? "translates" : "transcribes";
  const advice = installing(catalogue, { language: primaryLanguage(asked), translates: translated });
  return new Refusal(
    "unsupported_language",
    `${name} ${verb} ${languagesOf(manifest).join(", ")}, not ${asked}.${advice}`,
    { param: "language" },
  );
}

/** How to get what is not installed; empty where nothing helps. */
function installing({ packageFor }: Catalogue, needs: RecognitionNeeds): string {
  const name = packageFor(needs);
  if (name === null) return "";
  const what = needs.translates ? "translation" : needs.language;
  return ` The operator of this server can add ${what} with "loquat models pull ${name}".`;
}

/** A tag counts when its primary subtag is a language of the engine. */
function matching(languages: string[], tag: string): string | undefined {
  const primary = primaryLanguage(tag);
  return languages.find((candidate) => primaryLanguage(candidate) === primary);
}

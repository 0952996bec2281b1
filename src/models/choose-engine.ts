/** Chooses the engine of a model for a recognition: by its use, by the language, and by what else is asked of it. */
import { Refusal } from "../errors.ts";
import { primaryLanguage } from "../language-tag.ts";
import type { Catalogue, RecognitionNeeds } from "./catalogue.ts";
import { languagesOf, type SttManifest, type Use } from "./manifest.ts";

/** What a recognition request resolves to. `language` null: detected by the engine; `spoken` is then assumed. */
export type ChosenEngine = {
  model: string;
  manifest: SttManifest;
  engine: string;
  language: string | null;
  /** Where it is detected: one of these; empty: one of any. */
  languages: string[];
  spoken: string;
  /** Whether the engine uses a prompt. */
  hints: boolean;
  /** Whether it prefers given words. */
  keywords: boolean;
};

export type EngineNeeds = {
  use: Use;
  language: string | null;
  languages: readonly string[];
  translated: boolean;
  /** Some words must be preferred. */
  keywords: boolean;
};

/**
 * The first engine for the use that understands the language, and can do what else is asked; for an unknown language, the
 * first that knows several.
 */
export function chooseEngine(
  catalogue: Catalogue,
  { id, manifest }: { id: string; manifest: SttManifest },
  { use, translated, ...needs }: EngineNeeds,
): ChosenEngine {
  const forUse = manifest.hearing.engines.filter(
    ({ uses, translates }) => uses.includes(use) && (!translated || translates === true),
  );
  if (translated && forUse.length === 0) throw noTranslation(catalogue, id);
  const named = needs.language || (needs.languages.length === 1 ? needs.languages[0]! : null);
  const asked = named === null ? needs.languages : [named];
  const several = forUse.filter(({ languages }) => languages.length > 1);
  const able = named === null && several.length > 0 ? several : forUse;
  const candidates = able.flatMap(({ engine, languages, hints = false, keywords = false, ...rest }) => {
    const known = [...new Set(asked.flatMap((tag) => matching(languages, tag) ?? []))];
    if (asked.length > 0 && known.length === 0) return [];
    const language = known.length === 1 ? known[0]! : null;
    const spoken = known[0] ?? languages[0]!;
    return [
      {
        engine,
        language,
        languages: language === null ? known : [],
        spoken,
        hints,
        keywords,
        among: rest.among ?? false,
      },
    ];
  });
  const lacking = ({ among, keywords, languages }: (typeof candidates)[number]): Lack | null => {
    if (needs.keywords && !keywords) return "keywords";
    return languages.length > 1 && !among ? "languages" : null;
  };
  const chosen = candidates.find((candidate) => lacking(candidate) === null);
  if (chosen) return { model: id, manifest, ...chosen };
  if (candidates[0]) throw unsupportedParameter(catalogue, id, lacking(candidates[0])!);
  throw unsupportedLanguage(catalogue, { id, manifest, asked: asked[0] ?? "", translated });
}

type Lack = "keywords" | "languages";

const LACKS = {
  keywords: { verb: "prefer keywords", what: "keywords" },
  languages: { verb: "detect one of several languages that are named", what: "a model that can" },
};

function unsupportedParameter({ packageFor }: Catalogue, id: string, param: Lack): Refusal {
  const { verb, what } = LACKS[param];
  const name = packageFor({ language: null, translates: false, does: param });
  const advice = name && ` The operator of this server can add ${what} with "loquat models pull ${name}".`;
  const message = `${id} cannot ${verb} with the engine that is installed. Leave out ${param}.${advice ?? ""}`;
  return new Refusal("unsupported_parameter", message, { param });
}

const noTranslation = (catalogue: Catalogue, id: string) =>
  new Refusal(
    "translation_not_supported",
    `${id} does not translate speech to English.${installing(catalogue, { language: null, translates: true })}`,
    { param: "model" },
  );

type Unsupported = { id: string; manifest: SttManifest; asked: string; translated: boolean };

function unsupportedLanguage(
  catalogue: Catalogue,
  { id, manifest, asked, translated }: Unsupported,
): Refusal {
  const verb = translated ? "translates" : "transcribes";
  const advice = installing(catalogue, { language: primaryLanguage(asked), translates: translated });
  return new Refusal(
    "unsupported_language",
    `${id} ${verb} ${languagesOf(manifest).join(", ")}, not ${asked}.${advice}`,
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

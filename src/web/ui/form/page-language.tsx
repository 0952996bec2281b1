/** The choice of the language of the pages, each under its own name. */
import { keepLanguage, LANGUAGE } from "../../language/chosen.ts";
import { controlsTexts } from "../../language/en/controls.ts";
import { LANGUAGES, type Language, type LanguageName } from "../../language/languages.ts";
import { Choice } from "./form.tsx";

const ALL = Object.entries(LANGUAGES) as [Language, LanguageName][];

export function PageLanguage({ hint }: { hint?: string }) {
  const t = controlsTexts();
  return (
    <Choice
      name="language"
      label={t("language")}
      hint={hint}
      value={LANGUAGE}
      onChange={(event) => {
        keepLanguage(event.target.value as Language);
        location.reload();
      }}
    >
      {ALL.map(([tag, { name, isPartial }]) => (
        <option key={tag} value={tag} lang={tag}>
          {isPartial ? t("partialLanguage", { name }) : name}
        </option>
      ))}
    </Choice>
  );
}

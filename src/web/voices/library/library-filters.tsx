/** The filters of the library: those by which its voices differ. */

import { languageName, primaryOf } from "../../format/language-name.ts";
import { libraryTexts } from "../../language/en/library.ts";
import type { Model, Voice } from "../../playground/access/catalogue.ts";
import { genderName } from "../../playground/voices/voice-words.ts";
import { FilterChoice } from "../../ui/form/filter-choice.tsx";
import { Field } from "../../ui/form/form.tsx";
import { SHOWN, type VoiceFilter } from "./voice-filter.ts";

type LibraryFiltersProps = {
  models: Model[];
  model: Model | undefined;
  voices: Voice[];
  filter: VoiceFilter;
  isOperator: boolean;
  onChange: (filter: VoiceFilter) => void;
};

export function LibraryFilters({ models, model, voices, filter, isOperator, onChange }: LibraryFiltersProps) {
  const t = libraryTexts();
  const change = (field: keyof VoiceFilter) => (value: string) => onChange({ ...filter, [field]: value });
  return (
    <section className="filters" aria-label={t("filters")}>
      <Field
        type="search"
        label={t("find")}
        placeholder={t("findHint")}
        value={filter.find}
        autoComplete="off"
        onChange={(event) => change("find")(event.target.value)}
      />
      <FilterChoice
        label={t("show")}
        value={filter.show}
        options={(isOperator ? [...SHOWN, "offered" as const] : SHOWN).map((id) => ({ id, name: t(id) }))}
        onChoose={change("show")}
      />
      <FilterChoice
        label={t("language")}
        value={filter.language}
        options={optionsFor(
          voices.map(({ language }) => primaryOf(language)),
          languageName,
        )}
        onChoose={change("language")}
      />
      <FilterChoice
        label={t("gender")}
        value={filter.gender}
        options={optionsFor(
          voices.map(({ gender }) => gender),
          (gender) => capitalized(genderName(gender)),
        )}
        onChoose={change("gender")}
      />
      <FilterChoice
        label={t("style")}
        value={filter.style}
        options={optionsFor(voices.map(({ metadata }) => metadata.style ?? ""))}
        onChoose={change("style")}
      />
      {models.length > 1 && (
        <FilterChoice
          label={t("model")}
          value={model === models[0] ? "" : filter.model}
          options={models.slice(1)}
          unset={models[0]!.name}
          onChoose={change("model")}
        />
      )}
    </section>
  );
}

const optionsFor = (values: string[], nameOf = capitalized) =>
  [...new Set(values)]
    .filter((id) => id !== "")
    .map((id) => ({ id, name: nameOf(id) }))
    .sort((a, b) => a.name.localeCompare(b.name));

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

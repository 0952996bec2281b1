/** The filters of the library: those by which its voices differ. */
import { languageName, primaryOf } from "../../format/language-name.ts";
import type { Model, Voice } from "../../playground/access/catalogue.ts";
import { FilterChoice, optionsOf } from "../../ui/form/filter-choice.tsx";
import { Field } from "../../ui/form/form.tsx";
import { OFFERED, SHOWN, type VoiceFilter } from "./voice-filter.ts";

type LibraryFiltersProps = {
  models: Model[];
  model: Model | undefined;
  voices: Voice[];
  filter: VoiceFilter;
  isOperator: boolean;
  onChange: (filter: VoiceFilter) => void;
};

export function LibraryFilters({ models, model, voices, filter, isOperator, onChange }: LibraryFiltersProps) {
  const change = (field: keyof VoiceFilter) => (value: string) => onChange({ ...filter, [field]: value });
  return (
    <section className="filters" aria-label="Filters">
      <Field
        type="search"
        label="Find"
        placeholder="Name, language, style"
        value={filter.find}
        autoComplete="off"
        onChange={(event) => change("find")(event.target.value)}
      />
      <FilterChoice
        label="Show"
        value={filter.show}
        options={optionsOf(isOperator ? { ...SHOWN, ...OFFERED } : SHOWN)}
        onChoose={change("show")}
      />
      <FilterChoice
        label="Language"
        value={filter.language}
        options={optionsFor(
          voices.map(({ language }) => primaryOf(language)),
          languageName,
        )}
        onChoose={change("language")}
      />
      <FilterChoice
        label="Gender"
        value={filter.gender}
        options={optionsFor(voices.map(({ gender }) => gender))}
        onChoose={change("gender")}
      />
      <FilterChoice
        label="Style"
        value={filter.style}
        options={optionsFor(voices.map(({ metadata }) => metadata.style ?? ""))}
        onChoose={change("style")}
      />
      {models.length > 1 && (
        <FilterChoice
          label="Model"
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

/** The fields of a transcription request beside the file. */

import { PROMPT_CHARACTERS_MAX } from "../../../metered/request-limits.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { Check, Choice, TextArea } from "../../ui/form/form.tsx";
import type { Model } from "../access/catalogue.ts";
import { ModelChoice } from "../access/model-choice.tsx";
import { KeywordsField } from "../voices/keywords-field.tsx";
import { LanguageChoice } from "../voices/language-choice.tsx";
import { FORMATS } from "./transcription.ts";
import type { Options } from "./use-transcription.ts";

type OptionsProps = {
  models: Model[];
  model: Model | undefined;
  options: Options;
  onChange: (changes: Partial<Options>) => void;
};

export function TranscriptionOptions({ models, model, options, onChange }: OptionsProps) {
  return (
    <div className="settings">
      <ModelChoice
        name="stt-model"
        models={models}
        model={model}
        onChoose={(id) => onChange({ model: id })}
      />
      <LanguageChoice
        name="language"
        languages={model?.supported_languages ?? []}
        value={options.language}
        onChoose={(language) => onChange({ language })}
      />
      <Choice
        name="response_format"
        label={transcribeTexts()("format")}
        value={options.format}
        onChange={(event) => onChange({ format: event.target.value })}
      >
        {FORMATS.map((format) => (
          <option key={format}>{format}</option>
        ))}
      </Choice>
      {options.format === "verbose_json" && <Timestamps options={options} onChange={onChange} />}
      <Prompt options={options} onChange={onChange} />
    </div>
  );
}

type PartProps = Pick<OptionsProps, "options" | "onChange">;

const Timestamps = ({ options, onChange }: PartProps) => (
  <fieldset className="checks">
    <legend>{transcribeTexts()("timestamps")}</legend>
    <Check
      label={transcribeTexts()("words")}
      checked={options.words}
      onChange={(event) => onChange({ words: event.target.checked })}
    />
    <Check
      label={transcribeTexts()("segments")}
      checked={options.segments}
      onChange={(event) => onChange({ segments: event.target.checked })}
    />
  </fieldset>
);

const Prompt = ({ options, onChange }: PartProps) => (
  <details>
    <summary>{transcribeTexts()("promptAndKeywords")}</summary>
    <KeywordsField name="keywords" value={options.keywords} onChange={(keywords) => onChange({ keywords })} />
    <TextArea
      name="prompt"
      label={transcribeTexts()("prompt")}
      hint={transcribeTexts()("promptHint")}
      rows={2}
      maxLength={PROMPT_CHARACTERS_MAX}
      value={options.prompt}
      onChange={(event) => onChange({ prompt: event.target.value })}
    />
  </details>
);

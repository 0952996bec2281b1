/** The choice of the language of a recording, or of its detection. */

import { languageName } from "../../format/language-name.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { Choice } from "../../ui/form/form.tsx";

type LanguageChoiceProps = {
  /** Of the field. */
  name: string;
  /** Codes; those that the model recognizes. */
  languages: string[];
  /** Empty: the model detects it. */
  value: string;
  isDisabled?: boolean;
  onChoose: (language: string) => void;
};

export const LanguageChoice = ({ name, languages, value, isDisabled, onChoose }: LanguageChoiceProps) => (
  <Choice
    name={name}
    label={transcribeTexts()("language")}
    value={value}
    disabled={isDisabled}
    onChange={(event) => onChoose(event.target.value)}
  >
    <option value="">
      {languages.length === 1 ? languageName(languages[0]!) : transcribeTexts()("detect")}
    </option>
    {languages.length > 1 &&
      languages.map((each) => (
        <option key={each} value={each}>
          {languageName(each)}
        </option>
      ))}
  </Choice>
);

/** The text to speak: its length, its language as guessed, and a sample in each language. */

import { CHARACTERS_MAX } from "../../../metered/request-limits.ts";
import { sampleLanguages, sampleOf } from "../../samples/sample-texts.ts";
import { TextArea } from "../../ui/form/form.tsx";
import type { Voice } from "../access/catalogue.ts";
import { languageName } from "../voices/language.ts";

type TextFieldProps = {
  text: string;
  /** Null where it cannot be guessed. */
  language: string | null;
  voice: Voice | undefined;
  voices: Voice[];
  onChange: (text: string) => void;
  onVoice: (id: string) => void;
};

export function TextField({ text, language, voice, voices, onChange, onVoice }: TextFieldProps) {
  const spoken = [...new Set(voices.flatMap(languagesOf))];
  return (
    <div className="text-field">
      <TextArea
        name="text"
        label="Text"
        rows={8}
        maxLength={CHARACTERS_MAX}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="text-line">
        <span className="hint">
          {[...text].length.toLocaleString()} of {CHARACTERS_MAX.toLocaleString()} characters
          {language && ` · ${languageName(language)}`}
        </span>
        <label className="sample">
          <span>Sample text</span>
          <select value="" onChange={(event) => onChange(sampleOf(event.target.value).text)}>
            <option value="" disabled>
              Sample text
            </option>
            {sampleLanguages(spoken.length > 0 ? spoken : ["en"]).map((each) => (
              <option key={each} value={each}>
                {languageName(each)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Mismatch {...{ language, voice, voices, onVoice }} />
    </div>
  );
}

const languagesOf = ({ language, metadata }: Voice): string[] => metadata.languages ?? [language];

type MismatchProps = Pick<TextFieldProps, "language" | "voice" | "voices" | "onVoice">;

/** Offers a voice that speaks the language of the text, where the chosen one does not. */
function Mismatch({ language, voice, voices, onVoice }: MismatchProps) {
  if (!language || !voice || languagesOf(voice).includes(language)) return null;
  const fitting = voices.find((each) => languagesOf(each).includes(language));
  return (
    <p className="hint" role="status">
      The text looks like {languageName(language)}; {voice.name} speaks {languageName(voice.language)}.{" "}
      {fitting && (
        <button type="button" className="link" onClick={() => onVoice(fitting.id)}>
          Use {fitting.name}
        </button>
      )}
    </p>
  );
}

/** The text to speak: its length, its language as guessed, and a sample in each language. */

import { Link } from "wouter";
import { CHARACTERS_MAX } from "../../../metered/request-limits.ts";
import { useIsOperator } from "../../api/session.ts";
import { languageName } from "../../format/language-name.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { sampleLanguages, sampleOf } from "../../samples/sample-texts.ts";
import type { Voice } from "../access/catalogue.ts";
import type { Playback } from "../audio/playback.ts";
import type { Synthesis } from "../synthesis/synthesis.ts";
import { MarkedText } from "./marked-text.tsx";

type TextFieldProps = {
  text: string;
  /** Null where it cannot be guessed. */
  language: string | null;
  voice: Voice | undefined;
  voices: Voice[];
  playback: Playback;
  /** The recording of this text; undefined where the text is another one. */
  synthesis: Synthesis | undefined;
  onChange: (text: string) => void;
  onVoice: (id: string) => void;
};

export function TextField({ text, language, voice, voices, onChange, onVoice, ...heard }: TextFieldProps) {
  const t = speakTexts();
  const spoken = [...new Set(voices.flatMap(languagesOf))];
  return (
    <div className="text-field">
      <MarkedText text={text} maxLength={CHARACTERS_MAX} onChange={onChange} {...heard} />
      <div className="text-line">
        <span className="hint">
          {t("characters", { count: [...text].length, max: CHARACTERS_MAX })}
          {language && ` · ${languageName(language)}`}
        </span>
        <label className="sample">
          <span>{t("sampleText")}</span>
          <select value="" onChange={(event) => onChange(sampleOf(event.target.value).text)}>
            <option value="" disabled>
              {t("sampleText")}
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

/** Offers a voice that speaks the language of the text, where the chosen one does not; to operators, to install one. */
function Mismatch({ language, voice, voices, onVoice }: MismatchProps) {
  const t = speakTexts();
  const isOperator = useIsOperator();
  if (!language || !voice || languagesOf(voice).includes(language)) return null;
  const fitting = voices.find((each) => languagesOf(each).includes(language));
  return (
    <p className="hint" role="status">
      {t("mismatch", {
        language: languageName(language),
        voice: voice.name,
        spoken: languageName(voice.language),
      })}{" "}
      {fitting && (
        <button type="button" className="link" onClick={() => onVoice(fitting.id)}>
          {t("useVoice", { voice: fitting.name })}
        </button>
      )}
      {!fitting && isOperator && (
        <Link href={`/operator/models?kind=voices&language=${language}`}>
          {t("installVoice", { language: languageName(language) })}
        </Link>
      )}
    </p>
  );
}

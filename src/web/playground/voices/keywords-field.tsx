/** The words that a recognizer prefers as they are written, one a line. */

import { PROMPT_CHARACTERS_MAX } from "../../../metered/request-limits.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { TextArea } from "../../ui/form/form.tsx";

type KeywordsFieldProps = {
  /** Of the field. */
  name: string;
  value: string;
  isDisabled?: boolean;
  onChange: (text: string) => void;
};

export const KeywordsField = ({ name, value, isDisabled, onChange }: KeywordsFieldProps) => (
  <TextArea
    name={name}
    label={transcribeTexts()("keywords")}
    hint={transcribeTexts()("keywordsHint")}
    rows={2}
    maxLength={PROMPT_CHARACTERS_MAX}
    disabled={isDisabled}
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
);

export const keywordsIn = (text: string): string[] =>
  text
    .split("\n")
    .map((word) => word.trim())
    .filter((word) => word !== "");

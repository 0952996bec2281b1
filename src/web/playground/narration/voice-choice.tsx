/** The choice of a voice, grouped by language. */
import { languageName } from "../../format/language-name.ts";
import { Choice } from "../../ui/form/form.tsx";
import type { Voice } from "../access/catalogue.ts";

type VoiceChoiceProps = {
  label: string;
  voices: Voice[];
  value: string;
  /** What the empty value stands for, where it can be chosen. */
  unset?: string;
  onChoose: (id: string) => void;
};

export const VoiceChoice = ({ label, voices, value, unset, onChoose }: VoiceChoiceProps) => (
  <Choice label={label} value={value} onChange={(event) => onChoose(event.target.value)}>
    {unset !== undefined && <option value="">{unset}</option>}
    {[...Map.groupBy(voices, ({ language }) => language)].map(([language, members]) => (
      <optgroup key={language} label={languageName(language)}>
        {members.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </optgroup>
    ))}
  </Choice>
);

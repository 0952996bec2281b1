/** A filter in a bar of filters: one of several values, or none of them. */
import { controlsTexts } from "../../language/en/controls.ts";
import { Choice } from "./form.tsx";

type FilterChoiceProps = {
  label: string;
  /** Empty: the filter is not set. */
  value: string;
  options: { id: string; name: string }[];
  onChoose: (id: string) => void;
  /** Says that the filter is not set. */
  unset?: string;
};

/** A value that is not among the options, such as one from an address, is added to them. */
export function FilterChoice({ label, value, options, onChoose, unset }: FilterChoiceProps) {
  const isKnown = value === "" || options.some(({ id }) => id === value);
  return (
    <Choice label={label} value={value} onChange={(event) => onChoose(event.target.value)}>
      <option value="">{unset ?? controlsTexts()("all")}</option>
      {(isKnown ? options : [...options, { id: value, name: value }]).map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Choice>
  );
}

/** Options from a record of their names. */
export const optionsOf = (names: Record<string, string>): FilterChoiceProps["options"] =>
  Object.entries(names).map(([id, name]) => ({ id, name }));

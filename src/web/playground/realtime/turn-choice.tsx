/** The choice of what ends a turn of the person who speaks. */
import { Choice } from "../../ui/form/form.tsx";
import { TURN_ENDS, type TurnEnd } from "./turn-end.ts";

type TurnChoiceProps<End extends TurnEnd> = {
  /** Of the field. */
  name: string;
  ends: readonly End[];
  value: End;
  isDisabled: boolean;
  onChoose: (end: End) => void;
};

export const TurnChoice = <End extends TurnEnd>(props: TurnChoiceProps<End>) => (
  <Choice
    name={props.name}
    label="End of a turn"
    value={props.value}
    disabled={props.isDisabled}
    onChange={(event) => props.onChoose(event.target.value as End)}
  >
    {props.ends.map((end) => (
      <option key={end} value={end}>
        {TURN_ENDS[end]}
      </option>
    ))}
  </Choice>
);

/** The choice of what ends a turn of the person who speaks. */
import { liveTexts } from "../../language/en/live.ts";
import { Choice } from "../../ui/form/form.tsx";
import { TURN_ENDS, type TurnEnd } from "./turn-end.ts";

const textOf = (end: TurnEnd): string => liveTexts()(TURN_ENDS[end]);

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
    label={liveTexts()("endOfTurn")}
    value={props.value}
    disabled={props.isDisabled}
    onChange={(event) => props.onChoose(event.target.value as End)}
  >
    {props.ends.map((end) => (
      <option key={end} value={end}>
        {textOf(end)}
      </option>
    ))}
  </Choice>
);

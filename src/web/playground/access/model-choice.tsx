/** The choice of a model of the catalogue. */
import { speakTexts } from "../../language/en/speak.ts";
import { Choice } from "../../ui/form/form.tsx";
import type { Model } from "./catalogue.ts";

type ModelChoiceProps = {
  /** Of the field. */
  name: string;
  models: Model[];
  model: Model | undefined;
  isDisabled?: boolean;
  onChoose: (id: string) => void;
};

export const ModelChoice = ({ name, models, model, isDisabled = false, onChoose }: ModelChoiceProps) => (
  <Choice
    name={name}
    label={speakTexts()("model")}
    value={model?.id}
    disabled={isDisabled || models.length === 0}
    onChange={(event) => onChoose(event.target.value)}
  >
    {models.map((each) => (
      <option key={each.id} value={each.id}>
        {each.name} ({each.id})
      </option>
    ))}
  </Choice>
);

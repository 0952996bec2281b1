/** The fields of a speech request beside text and voice: those that the model takes. */
import { Choice, Field } from "../../ui/form/form.tsx";
import type { Model } from "../access/catalogue.ts";
import { ModelChoice } from "../access/model-choice.tsx";
import type { SpeechSettings } from "./saved-settings.ts";

const SPEED_STEP = 0.05;

type SettingsFieldsProps = {
  models: Model[];
  model: Model | undefined;
  settings: SpeechSettings;
  /** Whether the first audio plays before the last is spoken. */
  isStreamed: boolean;
  onChange: (changes: Partial<SpeechSettings>) => void;
};

export function SettingsFields({ models, model, settings, isStreamed, onChange }: SettingsFieldsProps) {
  const options = model?.speech_options;
  const hasSpeed = options !== null && options !== undefined && options.speed.min < options.speed.max;
  return (
    <div className="settings">
      <ModelChoice name="model" models={models} model={model} onChoose={(id) => onChange({ model: id })} />
      <Choice
        name="format"
        label="Format"
        value={settings.format}
        hint={isStreamed ? undefined : "Received whole, then played"}
        onChange={(event) => onChange({ format: event.target.value })}
      >
        {(options?.response_formats ?? ["wav"]).map((format) => (
          <option key={format}>{format}</option>
        ))}
      </Choice>
      {hasSpeed && (
        <Field
          name="speed"
          label={`Speed ${settings.speed}×`}
          type="range"
          min={options.speed.min}
          max={options.speed.max}
          step={SPEED_STEP}
          value={settings.speed}
          onChange={(event) => onChange({ speed: Number(event.target.value) })}
        />
      )}
      {options?.instructions && (
        <Field
          name="instructions"
          label="Instructions"
          maxLength={1000}
          placeholder="slower, softer …"
          value={settings.instructions}
          onChange={(event) => onChange({ instructions: event.target.value })}
        />
      )}
    </div>
  );
}

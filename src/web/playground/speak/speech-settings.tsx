/** The fields of a speech request beside text and voice: those that the model takes. */
import { count } from "../../format/numbers.ts";
import { speakTexts } from "../../language/en/speak.ts";
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
  const t = speakTexts();
  const options = model?.speech_options;
  const hasSpeed = options !== null && options !== undefined && options.speed.min < options.speed.max;
  return (
    <div className="settings">
      <ModelChoice name="model" models={models} model={model} onChoose={(id) => onChange({ model: id })} />
      <Choice
        name="format"
        label={t("format")}
        value={settings.format}
        hint={isStreamed ? undefined : t("receivedWhole")}
        onChange={(event) => onChange({ format: event.target.value })}
      >
        {(options?.response_formats ?? ["wav"]).map((format) => (
          <option key={format}>{format}</option>
        ))}
      </Choice>
      {hasSpeed && (
        <Field
          name="speed"
          label={t("speed", { factor: count(settings.speed) })}
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
          label={t("instructions")}
          maxLength={1000}
          placeholder={t("instructionsHint")}
          value={settings.instructions}
          onChange={(event) => onChange({ instructions: event.target.value })}
        />
      )}
    </div>
  );
}

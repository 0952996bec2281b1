/** Makes a voice of several voices of a model: chosen, weighed, heard and saved. */
import { useState } from "react";
import { type Client, jsonBody } from "../api/public-api.ts";
import { refreshAll } from "../api/queries.ts";
import { languageName } from "../format/language-name.ts";
import { ownVoicesTexts } from "../language/en/own-voices.ts";
import {
  type Access,
  refreshCatalogue,
  useModels,
  useVoices,
  type Voice,
} from "../playground/access/catalogue.ts";
import { ModelChoice } from "../playground/access/model-choice.tsx";
import { sampleOf } from "../samples/sample-texts.ts";
import { Button } from "../ui/button.tsx";
import { Choice, Field } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { StatusLine } from "../ui/status-line.tsx";
import { useClipPlayer } from "../ui/use-clip-player.ts";
import {
  type BlendPart,
  blendText,
  changed,
  firstParts,
  PARTS,
  setOf,
  shareOf,
  withOneMore,
  withoutPart,
} from "./blend-parts.ts";

/** A model, and sets of its voices that can be mixed with each other. */
type Blending = { model: string; voices: string[][] };

type NewBlendProps = { access: Access; blending: Blending[]; onClose: () => void };

export function NewBlend({ access, blending, onClose }: NewBlendProps) {
  const t = ownVoicesTexts();
  const { client } = access;
  const [{ model, voices: sets }, setModel] = useState(blending[0]!);
  const [parts, setParts] = useState(() => firstParts(sets));
  const models = useModels("tts", access).data.filter(({ id }) => blending.some((each) => each.model === id));
  const voices = useVoices(model, access).data;
  const blend = blendText(parts);

  function choose(id: string) {
    const chosen = blending.find((each) => each.model === id)!;
    setModel(chosen);
    setParts(firstParts(chosen.voices));
  }

  async function save({ name = "" }: Record<string, string>) {
    await client("/audio/voices", jsonBody({ name, model, blend }));
    refreshCatalogue();
    await refreshAll();
  }

  return (
    <FormDialog title={t("blend")} submit={t("saveBlend")} onSubmit={save} onClose={onClose}>
      <Field name="name" label={t("name")} maxLength={100} autoComplete="off" required />
      {blending.length > 1 && (
        <ModelChoice
          name="blend-model"
          models={models}
          model={models.find(({ id }) => id === model)}
          onChoose={choose}
        />
      )}
      <fieldset>
        <legend>{t("weights")}</legend>
        {parts.map((part, index) => (
          <PartRow
            key={part.id}
            number={index + 1}
            part={part}
            share={shareOf(parts, part)}
            voices={offered(voices, index === 0 ? sets.flat() : setOf(sets, parts))}
            onChange={(change) => setParts(changed(parts, sets, { id: part.id, ...change }))}
            onRemove={parts.length > PARTS.min ? () => setParts(withoutPart(parts, part.id)) : null}
          />
        ))}
        {parts.length < PARTS.max && (
          <div className="actions">
            <Button onClick={() => setParts(withOneMore(parts, setOf(sets, parts)))}>{t("add")}</Button>
          </div>
        )}
      </fieldset>
      <Sample client={client} request={{ model, voice: blend }} language={languageOf(voices, parts)} />
    </FormDialog>
  );
}

const languageOf = (voices: Voice[], [first]: BlendPart[]): string =>
  voices.find(({ id }) => id === first?.voice)?.language ?? "en";

type SampleProps = { client: Client; request: { model: string; voice: string }; language: string };

/** Plays a sentence in the blend as it is now. */
function Sample({ client, request, language }: SampleProps) {
  const t = ownVoicesTexts();
  const player = useClipPlayer();
  const isActive = player.active?.id === request.voice;
  async function speak(signal: AbortSignal): Promise<Blob> {
    const body = { ...request, input: sampleOf(language).voice, response_format: "wav" };
    return (await client("/audio/speech", { ...jsonBody(body), signal })).blob();
  }
  return (
    <div className="blend-sample">
      <Button
        aria-busy={isActive && player.active?.isLoading}
        onClick={() => player.toggle(request.voice, speak)}
      >
        {t(isActive ? "stop" : "hearBlend")}
      </Button>
      <p className="hint">{t("blendHint")}</p>
      <StatusLine id="blend-status" message={player.message} />
    </div>
  );
}

type PartRowProps = {
  number: number;
  part: BlendPart;
  share: number;
  voices: Voice[];
  onChange: (change: Partial<BlendPart>) => void;
  /** Null where no fewer voices are a blend. */
  onRemove: (() => void) | null;
};

function PartRow({ number, part, share, voices, onChange, onRemove }: PartRowProps) {
  const t = ownVoicesTexts();
  const languages = [...Map.groupBy(voices, ({ language }) => language)];
  return (
    <div className="blend-part">
      <Choice
        name={`voice-${number}`}
        label={t("voiceNumber", { number })}
        value={part.voice}
        onChange={(event) => onChange({ voice: event.target.value })}
      >
        {languages.map(([language, spoken]) => (
          <optgroup key={language} label={languageName(language)}>
            {spoken.map(({ id, name }) => (
              <option key={id} value={id}>
                {name} ({id})
              </option>
            ))}
          </optgroup>
        ))}
      </Choice>
      <Field
        name={`weight-${number}`}
        label={t("weight", { share })}
        type="number"
        min="0.1"
        max="100"
        step="0.1"
        value={part.weight}
        onChange={(event) => onChange({ weight: event.target.value })}
        required
      />
      {onRemove && (
        <Button aria-label={t("removeNumber", { number })} onClick={onRemove}>
          {t("remove")}
        </Button>
      )}
    </div>
  );
}

const offered = (voices: Voice[], ids: readonly string[]): Voice[] =>
  voices.filter(({ id }) => ids.includes(id));

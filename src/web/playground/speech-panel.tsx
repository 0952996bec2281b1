/** Text to speech: plays a text in any voice of a model. */
import { useState } from "react";
import { apiBase } from "../lib/public-api.ts";
import { type SpeechRequest, speechSnippets } from "../lib/snippets.ts";
import { Button } from "../ui/button.tsx";
import { Choice, Field, TextArea } from "../ui/form/form.tsx";
import { Card } from "../ui/page.tsx";
import { SnippetButtons } from "../ui/snippet-buttons.tsx";
import { messageOf, StatusLine } from "../ui/status-line.tsx";
import { type CatalogueAccess, type Model, useModels, useVoices, type Voice } from "./catalogue.ts";
import { useSpeech } from "./use-speech.ts";

const CHARACTERS_MAX = 8000;
const TEXT = "The quick brown fox jumps over the lazy dog, and nobody knows why it still does.";
const DEFAULT_MODEL = "svc-tts1";
const DEFAULT_VOICE = "female-warm";

export function SpeechPanel(access: CatalogueAccess) {
  const [input, setInput] = useState(TEXT);
  const [settings, setSettings] = useState<Settings>({ model: null, instructions: "" });
  const [voice, setVoice] = useState<string | null>(null);
  const { speak, stop, message, isPlaying, firstAudioMs, download } = useSpeech(access.client);
  const models = useModels(access);
  const model = settings.model ?? models.data[0]?.id ?? null;
  const voices = useVoices(model, access);
  const error = models.error ?? voices.error;
  const instructions = settings.instructions.trim();
  const requestFor = (voice: string): SpeechRequest => ({
    model: model ?? DEFAULT_MODEL,
    voice,
    input,
    ...(instructions ? { instructions } : {}),
  });
  const play = (voice: string) => {
    setVoice(voice);
    void speak(requestFor(voice));
  };
  const change = (next: Settings) => {
    setSettings(next);
    if (next.model !== settings.model) setVoice(null);
  };
  return (
    <Card
      title="Text to speech"
      actions={<SnippetButtons snippets={speechSnippets(apiBase(), requestFor(voice ?? DEFAULT_VOICE))} />}
    >
      <TextArea
        name="text"
        label="Text"
        hint={`${[...input].length} of ${CHARACTERS_MAX} characters`}
        rows={3}
        maxLength={CHARACTERS_MAX}
        value={input}
        onChange={(event) => setInput(event.target.value)}
      />
      <div className="controls">
        <SettingsFields models={models.data} settings={{ ...settings, model }} onChange={change} />
        <Button disabled={!isPlaying} onClick={stop}>
          Stop
        </Button>
        {download && (
          <a className="button plain" href={download} download="loquat.wav">
            Download WAV
          </a>
        )}
      </div>
      <StatusLine id="speech-status" message={error ? messageOf(error) : message} />
      <VoiceList voices={voices.data} current={voice} firstAudioMs={firstAudioMs} onPlay={play} />
    </Card>
  );
}

/** `model` is null for the first of the catalogue. */
type Settings = { model: string | null; instructions: string };
type SettingsFieldsProps = { models: Model[]; settings: Settings; onChange: (settings: Settings) => void };

function SettingsFields({ models, settings, onChange }: SettingsFieldsProps) {
  return (
    <>
      <Choice
        name="model"
        label="Model"
        value={settings.model ?? undefined}
        onChange={(event) => onChange({ ...settings, model: event.target.value })}
      >
        {models.map(({ id, name }) => (
          <option key={id} value={id}>
            {name} ({id})
          </option>
        ))}
      </Choice>
      <Field
        name="instructions"
        label="Instructions"
        maxLength={1000}
        placeholder="slower, softer …"
        value={settings.instructions}
        onChange={(event) => onChange({ ...settings, instructions: event.target.value })}
      />
    </>
  );
}

type VoiceListProps = {
  voices: Voice[];
  current: string | null;
  firstAudioMs: Record<string, number>;
  onPlay: (voice: string) => void;
};

function VoiceList({ voices, current, firstAudioMs, onPlay }: VoiceListProps) {
  return (
    <ul className="voices" aria-label="Voices">
      {voices.map(({ id, name, locale, gender }) => (
        <li key={id}>
          <button type="button" data-voice={id} aria-current={id === current} onClick={() => onPlay(id)}>
            <span>{name}</span>
            <small>
              {locale} · {gender}
            </small>
            <span className="ms">{firstAudioMs[id] === undefined ? "" : `${firstAudioMs[id]} ms`}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Text to speech: plays a text in every voice of a model. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type SpeechRequest, speechSnippets } from "../lib/snippets.ts";
import { Button } from "../ui/button.tsx";
import { Choice, Field, TextArea } from "../ui/form/form.tsx";
import { Card } from "../ui/page.tsx";
import { apiBase, type Client } from "./client.ts";
import { SnippetButtons } from "./snippet-buttons.tsx";
import { messageOf, Status } from "./status.tsx";
import { useSpeech } from "./use-speech.ts";

const MAX_CHARACTERS = 8000;
const TEXT = "The quick brown fox jumps over the lazy dog, and nobody knows why it still does.";
const DEFAULT_MODEL = "svc-tts1";
const DEFAULT_VOICE = "female-warm";

type Model = { id: string; name: string };
type Voice = { id: string; name: string; locale: string; gender: string };

export type PanelProps = {
  client: Client;
  /** Changes with the client. */
  apiKey: string;
  /** Whether the key is known to work. */
  isReady: boolean;
};

export function SpeechPanel({ client, apiKey, isReady }: PanelProps) {
  const [text, setText] = useState(TEXT);
  const [instructions, setInstructions] = useState("");
  const [modelId, setModelId] = useState<string | null>(null);
  const [voiceId, setVoiceId] = useState<string | null>(null);
  const { speak, stop, message, isPlaying, firstAudioMs, download } = useSpeech(client);
  const models = useList<Model>("/models?type=tts", { client, apiKey, isReady });
  const model = modelId ?? models.data[0]?.id ?? DEFAULT_MODEL;
  const voices = useList<Voice>(`/voices?model=${encodeURIComponent(model)}`, {
    client,
    apiKey,
    isReady: isReady && models.data.length > 0,
  });
  const requestFor = (voice: string): SpeechRequest => ({
    model,
    voice,
    input: text,
    ...(instructions.trim() ? { instructions: instructions.trim() } : {}),
  });
  const chooseModel = (id: string) => {
    setModelId(id);
    setVoiceId(null);
  };
  const error = models.error ?? voices.error;
  const play = (voice: string) => {
    setVoiceId(voice);
    void speak(requestFor(voice));
  };
  return (
    <Card
      title="Text to speech"
      actions={<SnippetButtons snippets={speechSnippets(apiBase(), requestFor(voiceId ?? DEFAULT_VOICE))} />}
    >
      <TextArea
        name="text"
        label="Text"
        hint={`${[...text].length} of ${MAX_CHARACTERS} characters`}
        rows={3}
        maxLength={MAX_CHARACTERS}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="controls">
        <Choice
          name="model"
          label="Model"
          value={model}
          onChange={(event) => chooseModel(event.target.value)}
        >
          {models.data.map(({ id, name }) => (
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
          value={instructions}
          onChange={(event) => setInstructions(event.target.value)}
        />
        <Button disabled={!isPlaying} onClick={stop}>
          Stop
        </Button>
        {download && (
          <a className="button plain" href={download} download="loquat.wav">
            Download WAV
          </a>
        )}
      </div>
      <Status id="speech-status" message={error ? messageOf(error) : message} />
      <VoiceList voices={voices.data} current={voiceId} firstAudioMs={firstAudioMs} onPlay={play} />
    </Card>
  );
}

/** A list of the catalogue, empty until it is read. */
function useList<T>(path: string, { client, apiKey, isReady }: PanelProps) {
  const { data, error } = useQuery({
    queryKey: ["playground", path, apiKey],
    queryFn: async (): Promise<T[]> => (await (await client(path)).json()).data,
    enabled: isReady,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return { data: data ?? [], error };
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

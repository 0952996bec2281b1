/** The state of text to speech: settings, chosen voices, and the requests they make. */

import { useEffect, useState } from "react";
import { useSearchParams } from "wouter";
import { speakTexts } from "../../language/en/speak.ts";
import { isSample, sampleOf } from "../../samples/sample-texts.ts";
import { type Access, type Model, useModels, useVoices, type Voice } from "../access/catalogue.ts";
import { usePlayback, usePlaybackValue } from "../audio/use-playback.ts";
import { canStream, type FullRequest, type Order, type Synthesis } from "../synthesis/synthesis.ts";
import { guessLanguage, languageFor } from "../voices/language.ts";
import { useVoiceSamples } from "../voices/use-voice-samples.ts";
import { COMPARED_MAX } from "../voices/voice-list.tsx";
import { type SpeechSettings, useSavedSettings } from "./saved-settings.ts";
import { useHistory } from "./use-history.ts";
import { useSpeech } from "./use-speech.ts";

const INITIAL: SpeechSettings = {
  text: sampleOf("en").text,
  model: null,
  voice: null,
  format: "wav",
  speed: 1,
  instructions: "",
};
/** For code that is copied before the catalogue is known. */
const DEFAULTS = { model: "svc-tts1", voice: "female-warm" };

export type SpeechForm = ReturnType<typeof useSpeechForm>;

export function useSpeechForm(access: Access) {
  const [search] = useSearchParams();
  const requested = Object.fromEntries(["model", "voice"].flatMap((name) => entryOf(search, name)));
  const { settings, change, forget } = useSavedSettings(access.owner, { initial: INITIAL, requested });
  const [compared, setCompared] = useState<string[] | null>(null);
  const playback = usePlayback();
  const isPlaying = usePlaybackValue(playback, (state) => state.isPlaying);
  const history = useHistory(access.owner);
  const speech = useSpeech({ client: access.client, playback, onSynthesis: history.add });
  const { models, model, voices, voice, error } = useCatalogue(access, settings);
  const samples = useVoiceSamples({ ...access, model, onStart: playback.stop });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a recording that starts ends the sample of a voice
  useEffect(() => {
    if (isPlaying) samples.stop();
  }, [isPlaying]);
  const chosen = compared?.filter((id) => voices.some((each) => each.id === id)) ?? (voice ? [voice.id] : []);
  const language = guessLanguage(settings.text);

  const orderFor = (id: string) => orderOf(id, settings, { model, voices });

  function choose(id: string) {
    if (compared) return setCompared(withToggled(chosen, id));
    const voice = voices.find((each) => each.id === id);
    const text = voice && isSample(settings.text) ? sampleOf(voice.language).text : settings.text;
    change({ voice: id, text });
  }

  function play() {
    const t = speakTexts();
    if (!access.isReady) return speech.say({ text: t("noKey"), isError: true });
    if (settings.text.trim() === "") return speech.say({ text: t("writeText"), isError: true });
    if (chosen.length === 0) return speech.say({ text: t("chooseVoice"), isError: true });
    void speech.speak(chosen.map(orderFor));
  }

  function clear() {
    history.clear();
    forget();
  }

  return {
    ...{ settings, change, models, model, voices, voice, error, language },
    ...{ playback, isPlaying, history, speech, samples },
    ...{ chosen, isComparing: compared !== null, choose, play, clear },
    isStreamed: model === undefined || canStream(orderFor(chosen[0] ?? DEFAULTS.voice)),
    compare: (isComparing: boolean) => setCompared(isComparing ? chosen : null),
    request: (): FullRequest => orderFor(chosen[0] ?? DEFAULTS.voice).request,
    reuse: ({ request }: Synthesis) => {
      setCompared(null);
      change(settingsOf(request));
    },
  };
}

const entryOf = (search: URLSearchParams, name: string): [string, string][] => {
  const value = search.get(name);
  return value === null ? [] : [[name, value]];
};

/** The model and the voice of the settings, or the first of the catalogue. */
function useCatalogue(access: Access, settings: SpeechSettings) {
  const models = useModels("tts", access);
  const model = models.data.find(({ id }) => id === settings.model) ?? models.data[0];
  const voices = useVoices(model?.id ?? null, access);
  const voice = voices.data.find(({ id }) => id === settings.voice) ?? voices.data[0];
  return { models: models.data, model, voices: voices.data, voice, error: models.error ?? voices.error };
}

type Chosen = { model: Model | undefined; voices: Voice[] };

function orderOf(id: string, settings: SpeechSettings, { model, voices }: Chosen): Order {
  const voice = voices.find((each) => each.id === id);
  const options = model?.speech_options ?? null;
  const names = { model: model?.id ?? DEFAULTS.model, voice: id };
  return {
    request: {
      ...names,
      ...requestOf(settings, options),
      ...languageFor(settings.text, voice?.metadata.languages),
    },
    voiceName: voice?.name ?? id,
    options,
  };
}

/** What the model does not take is left out; the format falls back to its first. */
function requestOf(
  { text, format, speed, instructions }: SpeechSettings,
  options: Order["options"],
): Omit<FullRequest, "model" | "voice"> {
  const takesSpeed = options !== null && speed >= options.speed.min && speed <= options.speed.max;
  const guidance = instructions.trim();
  return {
    input: text,
    response_format: formatOf(format, options),
    ...(takesSpeed && speed !== 1 ? { speed } : {}),
    ...(options?.instructions && guidance !== "" ? { instructions: guidance } : {}),
  };
}

const formatOf = (format: string, options: Order["options"]): string =>
  !options || options.response_formats.includes(format) ? format : (options.response_formats[0] ?? format);

const settingsOf = ({ input, model, voice, response_format, ...request }: FullRequest): SpeechSettings => ({
  text: input,
  model,
  voice,
  format: response_format,
  speed: request.speed ?? 1,
  instructions: request.instructions ?? "",
});

function withToggled(chosen: string[], id: string): string[] {
  if (chosen.includes(id)) return chosen.filter((each) => each !== id);
  return chosen.length < COMPARED_MAX ? [...chosen, id] : chosen;
}

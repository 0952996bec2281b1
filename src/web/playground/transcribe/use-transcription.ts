/** The state of file transcription: the file, the options, the call, and the player that words seek in. */
import { useRef, useState } from "react";
import { FILE_BYTES_MAX } from "../../../metered/request-limits.ts";
import { type Client, STT_MODEL } from "../../api/public-api.ts";
import type { TranscriptionRequest } from "../../api/snippets.ts";
import { bytes, ms } from "../../format/numbers.ts";
import { type Message, messageOf } from "../../ui/status-line.tsx";
import { type Access, useModels } from "../access/catalogue.ts";
import { outlineOf } from "../audio/decode.ts";
import { newTrackId } from "../audio/track-id.ts";
import { usePlayback } from "../audio/use-playback.ts";
import { formOf, readTranscription, type Transcription } from "./transcription.ts";

export type Options = {
  model: string | null;
  /** Empty: detected. */
  language: string;
  format: string;
  words: boolean;
  segments: boolean;
  prompt: string;
  /** One a line. */
  keywords: string;
};

const INITIAL: Options = {
  model: null,
  language: "",
  format: "verbose_json",
  words: true,
  segments: true,
  prompt: "",
  keywords: "",
};

export function useTranscription(access: Access) {
  const [options, setOptions] = useState(INITIAL);
  const [file, setFile] = useState<File | null>(null);
  const [result, setResult] = useState<Transcription | null>(null);
  const [message, setMessage] = useState<Message>({ text: "" });
  const [isBusy, setBusy] = useState(false);
  const playback = usePlayback();
  const current = useRef<AbortController | null>(null);
  const models = useModels("stt", access);
  const model = models.data.find(({ id }) => id === options.model) ?? models.data[0];
  const request = () => requestOf(options, model?.id ?? STT_MODEL);

  function open(next: File) {
    current.current?.abort();
    setResult(null);
    setFile(next);
    load(next);
    void transcribe(next);
  }

  function load(next: File) {
    const track = { id: newTrackId(), file: next, peaks: [], durationSeconds: 0 };
    playback.load(track, { autoplay: false });
    void outlineOf(next).then((outline) => outline && playback.outline(track.id, outline));
  }

  async function transcribe(audio: File) {
    const problem = problemOf(access, audio);
    if (problem) return setMessage({ text: problem, isError: true });
    const leaving = new AbortController();
    current.current?.abort();
    current.current = leaving;
    setBusy(true);
    setMessage({ text: `Transcribing ${audio.name} …` });
    try {
      const startedAt = performance.now();
      const made = await send(access.client, { request: request(), file: audio, signal: leaving.signal });
      setResult(made);
      setMessage(reportOf(made, Math.round(performance.now() - startedAt)));
    } catch (error) {
      if (!leaving.signal.aborted) setMessage(messageOf(error));
    } finally {
      if (current.current === leaving) setBusy(false);
    }
  }

  return {
    ...{ options, file, result, message, isBusy, playback, model, request, open },
    models: models.data,
    error: models.error,
    change: (changes: Partial<Options>) => setOptions((before) => ({ ...before, ...changes })),
    run: () => file && void transcribe(file),
    playFrom(seconds: number) {
      playback.seek(seconds);
      if (!playback.state().isPlaying) playback.toggle();
    },
  };
}

type Job = { request: TranscriptionRequest; file: File; signal: AbortSignal };

async function send(client: Client, { request, file, signal }: Job): Promise<Transcription> {
  const init = { method: "POST", body: formOf(request, file), signal };
  const body = await (await client("/audio/transcriptions", init)).text();
  return readTranscription(body, request.response_format);
}

/** Without an upload that the server would refuse. */
function problemOf({ isReady }: Access, { name, size }: File): string | null {
  if (!isReady) return "There is no API key in use yet.";
  if (size === 0) return `${name} is empty.`;
  return size > FILE_BYTES_MAX
    ? `${name} has ${bytes(size)}. The API takes files of at most ${bytes(FILE_BYTES_MAX)}.`
    : null;
}

function requestOf(options: Options, model: string): TranscriptionRequest {
  const { language, format, words, segments } = options;
  const prompt = options.prompt.trim();
  const keywords = options.keywords
    .split("\n")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const granularities = [...(words ? ["word"] : []), ...(segments ? ["segment"] : [])];
  return {
    model,
    response_format: format,
    ...(language ? { language } : {}),
    ...(prompt ? { prompt } : {}),
    ...(keywords.length > 0 ? { keywords } : {}),
    ...(format === "verbose_json" && granularities.length > 0
      ? { timestamp_granularities: granularities }
      : {}),
  };
}

function reportOf({ text, words, durationSeconds }: Transcription, tookMs: number): Message {
  const audio = durationSeconds === null ? "Transcribed" : `${durationSeconds.toFixed(1)} s of audio`;
  const hint = words.length > 0 ? " Click a word to play it." : "";
  return { text: `${audio} in ${ms(tookMs)}.${text === "" ? " No speech was recognized." : hint}` };
}

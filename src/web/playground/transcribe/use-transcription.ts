/** The state of file transcription: the file, the options, the call, and the player that words seek in. */

import { useRef, useState } from "react";
import { FILE_BYTES_MAX } from "../../../metered/request-limits.ts";
import { type Client, STT_MODEL } from "../../api/public-api.ts";
import type { ServerError } from "../../api/server.ts";
import type { TranscriptionRequest } from "../../api/snippets.ts";
import { showReady } from "../../browser/tab-icon.ts";
import { byteSize, ms, oneDecimal } from "../../format/numbers.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { type Message, messageOf } from "../../ui/status-line.tsx";
import { type Access, useModels } from "../access/catalogue.ts";
import { outlineOf } from "../audio/decode.ts";
import type { Playback } from "../audio/playback.ts";
import { newTrackId } from "../audio/track-id.ts";
import { usePlayback } from "../audio/use-playback.ts";
import { keywordsIn } from "../voices/keywords-field.tsx";
import { withText } from "./edited.ts";
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
  /** As the server returned it, where it was corrected since. */
  const [original, setOriginal] = useState<Transcription | null>(null);
  const [message, setMessage] = useState<Message>({ text: "" });
  const [isBusy, setBusy] = useState(false);
  const [isTooLarge, setTooLarge] = useState(false);
  const playback = usePlayback();
  const current = useRef<AbortController | null>(null);
  const models = useModels("stt", access);
  const model = models.data.find(({ id }) => id === options.model) ?? models.data[0];
  const request = () => requestOf(options, model?.id ?? STT_MODEL);

  function open(next: File) {
    current.current?.abort();
    setResult(null);
    setOriginal(null);
    setFile(next);
    load(playback, next);
    void transcribe(next);
  }

  async function transcribe(audio: File) {
    const problem = problemOf(access, audio);
    setTooLarge(audio.size > FILE_BYTES_MAX);
    if (problem) return setMessage({ text: problem, isError: true });
    const leaving = new AbortController();
    current.current?.abort();
    current.current = leaving;
    setBusy(true);
    setMessage({ text: transcribeTexts()("transcribing", { file: audio.name }) });
    try {
      const startedAt = performance.now();
      const made = await send(access.client, { request: request(), file: audio, signal: leaving.signal });
      setResult(made);
      setOriginal(null);
      showReady();
      setMessage(reportOf(made, Math.round(performance.now() - startedAt)));
    } catch (error) {
      if (leaving.signal.aborted) return;
      setMessage(messageOf(error));
      setTooLarge((error as Partial<ServerError>).code === "audio_too_long");
    } finally {
      if (current.current === leaving) setBusy(false);
    }
  }

  return {
    ...{ options, file, result, message, isBusy, isTooLarge, playback, model, request, open },
    models: models.data,
    error: models.error,
    change: (changes: Partial<Options>) => setOptions((before) => ({ ...before, ...changes })),
    run: () => file && void transcribe(file),
    isEdited: original !== null,
    edit(index: number, text: string) {
      if (!result) return;
      const edited = withText(result, index, text);
      if (edited === result) return;
      setOriginal(original ?? result);
      setResult(edited);
    },
    undo() {
      setResult(original);
      setOriginal(null);
    },
  };
}

function load(playback: Playback, file: File): void {
  const track = { id: newTrackId(), file, peaks: [], durationSeconds: 0 };
  playback.load(track, { autoplay: false });
  void outlineOf(file).then((outline) => outline && playback.outline(track.id, outline));
}

type Job = { request: TranscriptionRequest; file: File; signal: AbortSignal };

async function send(client: Client, { request, file, signal }: Job): Promise<Transcription> {
  const init = { method: "POST", body: formOf(request, file), signal };
  const body = await (await client("/audio/transcriptions", init)).text();
  return readTranscription(body, request.response_format);
}

/** Without an upload that the server would refuse. */
function problemOf({ isReady }: Access, { name, size }: File): string | null {
  const t = transcribeTexts();
  if (!isReady) return speakTexts()("noKey");
  if (size === 0) return t("isEmpty", { file: name });
  return size > FILE_BYTES_MAX
    ? t("tooLarge", { file: name, size: byteSize(size), max: byteSize(FILE_BYTES_MAX) })
    : null;
}

function requestOf(options: Options, model: string): TranscriptionRequest {
  const { language, format, words, segments } = options;
  const prompt = options.prompt.trim();
  const keywords = keywordsIn(options.keywords);
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
  const t = transcribeTexts();
  const time = ms(tookMs);
  const done =
    durationSeconds === null
      ? t("transcribed", { time })
      : t("transcribedAudio", { duration: oneDecimal(durationSeconds), time });
  const hints = text === "" ? [t("noSpeech")] : words.length > 0 ? [t("clickWord")] : [];
  return { text: [done, ...hints].join(" ") };
}

/** Synthesizes and plays one text at a time, and measures the time to the first audio of each voice. */
import { useEffect, useRef, useState } from "react";
import { TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import { wavHeader } from "../../audio/wav.ts";
import { type Client, jsonBody } from "../lib/public-api.ts";
import type { SpeechRequest } from "../lib/snippets.ts";
import { type Message, messageOf } from "../ui/status-line.tsx";
import { openPlayer, playBody } from "./player.ts";

export function useSpeech(client: Client) {
  const [message, setMessage] = useState<Message>({ text: "" });
  const [isPlaying, setPlaying] = useState(false);
  const [firstAudioMs, setFirstAudioMs] = useState<Record<string, number>>({});
  const [download, setDownload] = useState<string | null>(null);
  const abort = useRef(() => {});

  useEffect(() => () => abort.current(), []);

  async function speak(request: SpeechRequest): Promise<void> {
    abort.current();
    const leaving = new AbortController();
    const player = openPlayer();
    abort.current = () => {
      leaving.abort();
      player.stop();
    };
    setPlaying(true);
    setMessage({ text: "…" });
    try {
      const startedAt = performance.now();
      const body = { ...request, response_format: "pcm", stream_format: "audio" };
      const response = await client("/audio/speech", { ...jsonBody(body), signal: leaving.signal });
      let firstMs = 0;
      const chunks = await playBody(response, player, () => {
        firstMs = Math.round(performance.now() - startedAt);
        setFirstAudioMs((all) => ({ ...all, [request.voice]: firstMs }));
      });
      const totalMs = Math.round(performance.now() - startedAt);
      const sampleCount = chunks.reduce((sum, { length }) => sum + length, 0) / 2;
      const seconds = (sampleCount / TTS_SAMPLE_RATE).toFixed(1);
      setMessage({ text: `First audio after ${firstMs} ms; ${seconds} s of speech in ${totalMs} ms.` });
      const wav = new Blob([wavHeader(sampleCount, TTS_SAMPLE_RATE), ...chunks], { type: "audio/wav" });
      setDownload((before) => {
        if (before) URL.revokeObjectURL(before);
        return URL.createObjectURL(wav);
      });
      player.onEnd(() => setPlaying(false));
    } catch (error) {
      if (leaving.signal.aborted) return; // stopped by the user, or by the next request
      setPlaying(false);
      setMessage(messageOf(error));
    }
  }

  function stop(): void {
    abort.current();
    setPlaying(false);
  }

  return { speak, stop, message, isPlaying, firstAudioMs, download };
}

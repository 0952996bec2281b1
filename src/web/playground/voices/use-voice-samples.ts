/** A short sample of each voice: spoken when it is first asked for, then kept in this browser. */
import { useEffect, useRef, useState } from "react";
import type { Client } from "../../api/public-api.ts";
import { sampleOf } from "../../samples/sample-texts.ts";
import { type Message, messageOf } from "../../ui/status-line.tsx";
import type { Model, Voice } from "../access/catalogue.ts";
import type { Kept } from "../synthesis/bounds.ts";
import { openStore } from "../synthesis/browser-store.ts";
import { synthesize } from "../synthesis/synthesis.ts";

type SampleOptions = { client: Client; owner: string; model: Model | undefined; onStart: () => void };

export type VoiceSamples = {
  /** The voice whose sample is being fetched or played. */
  active: { voice: string; isLoading: boolean } | null;
  message: Message;
  /** Plays the sample of a voice, or stops it. */
  toggle(voice: Voice): void;
  stop(): void;
};

export function useVoiceSamples({ client, owner, model, onStart }: SampleOptions): VoiceSamples {
  const [active, setActive] = useState<VoiceSamples["active"]>(null);
  const [message, setMessage] = useState<Message>({ text: "" });
  const [audio] = useState(() => new Audio());
  const current = useRef<AbortController | null>(null);

  function stop() {
    current.current?.abort();
    audio.pause();
    setActive(null);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the page is left
  useEffect(() => stop, []);

  async function play(voice: Voice, { id, public_version }: Model) {
    const leaving = new AbortController();
    current.current = leaving;
    onStart();
    setMessage({ text: "" });
    setActive({ voice: voice.id, isLoading: true });
    try {
      const key = `${id}@${public_version}/${voice.id}`;
      const file = await fileOf(key, () => speakSample(client, { model: id, voice, signal: leaving.signal }));
      if (leaving.signal.aborted) return;
      if (audio.src) URL.revokeObjectURL(audio.src);
      audio.src = URL.createObjectURL(file);
      audio.onended = () => setActive(null);
      await audio.play();
      setActive({ voice: voice.id, isLoading: false });
    } catch (error) {
      if (leaving.signal.aborted) return;
      setActive(null);
      setMessage(messageOf(error));
    }
  }

  const samples = useRef(new Map<string, Blob>());
  async function fileOf(key: string, speak: () => Promise<Kept>): Promise<Blob> {
    const store = openStore(owner, "samples");
    const kept = samples.current.get(key) ?? (await store.find(key).catch(() => undefined))?.file;
    if (kept) return kept;
    const made = { ...(await speak()), id: key };
    samples.current.set(key, made.file);
    store.add(made).catch(() => {}); // without storage, it lasts as long as the page
    return made.file;
  }

  return {
    active,
    message,
    stop,
    toggle(voice) {
      const wasActive = active?.voice === voice.id;
      stop();
      if (!wasActive && model) void play(voice, model);
    },
  };
}

type SampleRequest = { model: string; voice: Voice; signal: AbortSignal };

async function speakSample(client: Client, { model, voice, signal }: SampleRequest): Promise<Kept> {
  const input = sampleOf(voice.language).voice;
  const request = { model, voice: voice.id, input, response_format: "wav" };
  const order = { id: "", request, voiceName: voice.name, options: null };
  const { createdAt, file } = await synthesize(client, order, { signal });
  return { id: "", createdAt, file };
}

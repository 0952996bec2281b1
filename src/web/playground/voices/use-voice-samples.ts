/** A short sample of each voice: spoken when it is first asked for, then kept in this browser. */
import { useRef } from "react";
import type { Client } from "../../api/public-api.ts";
import { sampleOf } from "../../samples/sample-texts.ts";
import { type ClipPlayer, useClipPlayer } from "../../ui/use-clip-player.ts";
import type { Model, Voice } from "../access/catalogue.ts";
import type { Kept } from "../synthesis/bounds.ts";
import { openStore } from "../synthesis/browser-store.ts";
import { synthesize } from "../synthesis/synthesis.ts";

type SampleOptions = { client: Client; owner: string; model: Model | undefined; onStart: () => void };

export type VoiceSamples = Omit<ClipPlayer, "toggle"> & {
  /** Plays the sample of a voice, or stops it. `sentence`: what it says, in place of its introduction. */
  toggle(voice: Voice, sentence?: string): void;
};

export function useVoiceSamples({ client, owner, model, onStart }: SampleOptions): VoiceSamples {
  const { toggle, ...player } = useClipPlayer(onStart);
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
    ...player,
    toggle(voice, sentence = sampleOf(voice.language).voice) {
      if (!model) return player.stop();
      const isOwnWords = sentence !== sampleOf(voice.language).voice;
      const key = `${model.id}@${model.public_version}/${voice.id}${isOwnWords ? `/${sentence}` : ""}`;
      toggle(voice.id, (signal) =>
        fileOf(key, () => speakSample(client, { model: model.id, voice, sentence, signal })),
      );
    },
  };
}

type SampleRequest = { model: string; voice: Voice; sentence: string; signal: AbortSignal };

async function speakSample(client: Client, { model, voice, sentence, signal }: SampleRequest): Promise<Kept> {
  const request = { model, voice: voice.id, input: sentence, response_format: "wav" };
  const order = { id: "", request, voiceName: voice.name, options: null };
  const { createdAt, file } = await synthesize(client, order, { signal });
  return { id: "", createdAt, file };
}

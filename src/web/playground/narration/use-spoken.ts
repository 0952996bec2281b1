/** The paragraphs of a draft as they were spoken: what did not change since is not spoken again. */
import { useRef, useState } from "react";
import { speakTexts } from "../../language/en/speak.ts";
import type { Access, Model, Voice } from "../access/catalogue.ts";
import type { Playback } from "../audio/playback.ts";
import { newTrackId } from "../audio/track-id.ts";
import { canStream, type Order, type Synthesis, synthesize } from "../synthesis/synthesis.ts";
import { languageFor } from "../voices/language.ts";
import type { Draft, Paragraph } from "./draft.ts";
import { spokenText } from "./marks.ts";

/** `model`: undefined until the catalogue is read. */
export type NarrationOptions = { access: Access; draft: Draft; model: Model | undefined; voices: Voice[] };

export function useSpoken(
  { access: { client }, draft, model, voices }: NarrationOptions,
  playback: Playback,
) {
  const kept = useRef(new Map<string, Synthesis>());
  const [, setCount] = useState(0);

  function orderOf(paragraph: Paragraph, { id, speech_options }: Model): Order | null {
    const wanted = [paragraph.voice, draft.voice].flatMap(
      (id) => voices.find((each) => each.id === id) ?? [],
    );
    const voice = wanted[0] ?? voices[0];
    if (!voice) return null;
    const { text } = paragraph;
    const names = { model: id, voice: voice.id, ...languageFor(text, voice.metadata.languages) };
    const request = { ...names, input: spokenText(text), response_format: "wav" };
    return { request, voiceName: voice.name, options: speech_options };
  }
  const keyOf = ({ request }: Order) => JSON.stringify(request);

  return {
    /** As it was spoken before, if it was. */
    madeOf(paragraph: Paragraph): Synthesis | undefined {
      const order = model && orderOf(paragraph, model);
      return order ? kept.current.get(keyOf(order)) : undefined;
    },
    /** `plays`: from its first sound. */
    async speak(paragraph: Paragraph, signal: AbortSignal, plays = false): Promise<Synthesis> {
      const order = model && orderOf(paragraph, model);
      if (!order) throw new Error(speakTexts()("noKey"));
      const before = kept.current.get(keyOf(order));
      if (before && plays) playback.load(before, { autoplay: true });
      if (before) return before;
      const id = newTrackId();
      const streams = plays && canStream(order);
      if (streams) playback.stream(id);
      const progress = streams ? { signal, onSamples: playback.push } : { signal };
      const made = await synthesize(client, { ...order, id }, progress);
      signal.throwIfAborted();
      kept.current.set(keyOf(order), made);
      setCount(kept.current.size); // its words can be marked now
      if (streams) playback.complete(made);
      else if (plays) playback.load(made, { autoplay: true });
      return made;
    },
  };
}

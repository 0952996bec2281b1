/** Speaks the paragraphs of a draft: one, or all in turn; or makes one recording of them. */
import { useEffect, useRef, useState } from "react";
import { narrationTexts } from "../../language/en/narration.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { type Message, messageOf } from "../../ui/status-line.tsx";
import { usePlayback } from "../audio/use-playback.ts";
import type { Paragraph } from "./draft.ts";
import { type NarrationOptions, useSpoken } from "./use-spoken.ts";
import { type Spoken, wholeOf } from "./whole.ts";

export type Narration = ReturnType<typeof useNarration>;

export function useNarration(options: NarrationOptions) {
  const playback = usePlayback();
  const { madeOf, speak } = useSpoken(options, playback);
  /** The paragraph that is spoken. */
  const [current, setCurrent] = useState<string | null>(null);
  const { run, end, say, message, isBusy } = useRun(() => {
    playback.stop();
    setCurrent(null);
  });
  const written = options.draft.paragraphs.filter(({ text }) => text.trim() !== "");

  const play = (paragraphs: Paragraph[]) =>
    run(async (signal) => {
      for (const [index, paragraph] of paragraphs.entries()) {
        setCurrent(paragraph.id);
        const isOver = playback.ended(signal);
        await speak(paragraph, signal, true);
        const next = paragraphs[index + 1];
        if (next) void speak(next, signal).catch(() => {}); // it is reported when its turn comes
        await isOver;
        signal.throwIfAborted();
      }
    });

  const compose = (use: (whole: ReturnType<typeof wholeOf>) => void) =>
    run(async (signal) => {
      const spoken: Spoken[] = [];
      for (const [index, paragraph] of written.entries()) {
        say({ text: narrationTexts()("speakingOne", { number: index + 1, count: written.length }) });
        spoken.push({ text: paragraph.text, made: await speak(paragraph, signal) });
      }
      use(wholeOf(spoken));
    });

  const unlessEmpty = (work: () => Promise<void>) => {
    if (written.length > 0) return void work();
    say({ text: speakTexts()("writeText"), isError: true });
  };
  return {
    ...{ playback, message, current, isBusy, madeOf },
    playOne: (paragraph: Paragraph) => void play([paragraph]),
    playAll: () => unlessEmpty(() => play(written)),
    stop: end,
    /** All paragraphs as one, which are spoken first where they were not. */
    compose: (use: Parameters<typeof compose>[0]) => unlessEmpty(() => compose(use)),
  };
}

/** One piece of work at a time: the next ends it. `onEnd`: also where it ends by itself. */
function useRun(onEnd: () => void) {
  const [message, say] = useState<Message>({ text: "" });
  const [isBusy, setBusy] = useState(false);
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => () => leaving.current?.abort(), []);
  function end() {
    leaving.current?.abort();
    leaving.current = null;
    setBusy(false);
    say({ text: "" });
    onEnd();
  }
  return {
    ...{ message, say, isBusy, end },
    async run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
      end();
      const mine = new AbortController();
      leaving.current = mine;
      setBusy(true);
      say({ text: speakTexts()("speaking") });
      try {
        await work(mine.signal);
        if (leaving.current === mine) end();
      } catch (error) {
        if (leaving.current !== mine) return; // ended by the user, or by the next
        end();
        say(messageOf(error));
      }
    },
  };
}

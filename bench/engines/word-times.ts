/** What the times of words cost a sentence: what engines do more for them, and what tracing them to the caller's text takes. */

import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import { planSpeech } from "../../src/speech/plan.ts";
import { readScript } from "../../src/speech/script/read-script.ts";
import { originsOfSegments } from "../../src/speech/words/segment-origins.ts";
import { Timeline } from "../../src/speech/words/timeline.ts";
import { kokoroContents, piperContents } from "../../testing/packages/families/voices.ts";
import { openTestStore } from "../../testing/packages/model-store.ts";
import { median, type Row, timed } from "../harness/row.ts";

const ROUNDS = 300;
const LANGUAGE = "en-US";
const TEXT =
  "Dr. Smith paid $5.50 for twelve apples at the market on Main St., and left at 5:30 pm to catch the last train home.";

export async function benchWordTimes(): Promise<Row[]> {
  await using store = openTestStore();
  store.add("kokoro", "kokoro", { contents: kokoroContents() });
  store.add("piper", "vits", { contents: piperContents() });
  await using flite = openThreadPool(new URL("../../workers/tts/flite/flite.ts", import.meta.url), {
    size: 1,
  });
  const text = planSpeech(TEXT, LANGUAGE).at(-1)!.text;
  const phonemes = text.toLowerCase().replaceAll("pm", "p m");
  const task = { text, language: LANGUAGE, speed: 1, kind: "synthesis" as const, instructions: "", phonemes };
  const engine = (name: string) => (each: SynthesisTask) =>
    store.registry.engine(name).run(each, soleClaim());
  const engines: [name: string, speaker: string, run: (task: SynthesisTask) => Promise<unknown>][] = [
    ["Kokoro", "af_heart", engine("kokoro")],
    ["Piper", "0", engine("piper")],
    ["Flite", "slt", (each) => flite.run(each)],
  ];
  const rows: Row[] = [];
  for (const [name, speaker, run] of engines) {
    const value = await moreOf((words) => run({ ...task, speaker, ...words }));
    rows.push({ name: `word times, ${name}: more a sentence`, value, unit: "ms", target: "at most 1" });
  }
  return [...rows, await traced()];
}

/** The median of what a run with words takes more than the run without them right before it. */
async function moreOf(run: (words: { words?: true }) => Promise<unknown>): Promise<number> {
  const more: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const plain = await timed(() => run({}));
    const withWords = await timed(() => run({ words: true }));
    if (round > ROUNDS / 10) more.push(withWords - plain);
  }
  return median(more);
}

/** On the server's own thread. */
async function traced(): Promise<Row> {
  const { parts } = readScript(TEXT);
  const segments = planSpeech(TEXT, LANGUAGE).map(({ text }) => text);
  const spoken = segments.map((segment) =>
    [...segment.matchAll(/\S+/g)].map(({ 0: word, index }, at) => ({
      ...{ from: index, to: index + word.length },
      ...{ start: at, end: at + 1 },
    })),
  );
  const ms: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    ms.push(
      await timed(async () => {
        const origins = originsOfSegments(parts, LANGUAGE, segments);
        const timeline = new Timeline({ text: TEXT, language: LANGUAGE }, origins);
        for (const words of spoken) timeline.add(0, words);
        timeline.take();
      }),
    );
  return { name: "word times, traced to the text", value: median(ms), unit: "ms", target: "at most 1" };
}

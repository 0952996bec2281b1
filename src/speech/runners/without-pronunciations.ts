/** Writes letters in place of the signs of pronunciations, for engines that read no phonemes. */

import type { Traced } from "../../engine/protocol/plan.ts";
import type { SynthesisResult, SynthesisTask } from "../../engine/protocol/synthesis.ts";
import { type Runner, withKind } from "../../engine/runner.ts";
import { edited, plainTrace, spanOf } from "../text/origins.ts";

export const withoutPronunciations = (runner: Runner): Runner =>
  withKind(runner, "synthesis", async (task, ...rest) => {
    const { pronounced, ...plain } = task;
    if (!pronounced) return runner.run(task, ...rest);
    const spelled = spelledIn(plain.text, pronounced);
    const result = await runner.run({ ...plain, text: spelled.text }, ...rest);
    return placedIn(result, spelled);
  });

function spelledIn(text: string, pronounced: NonNullable<SynthesisTask["pronounced"]>): Traced {
  const edits = [...text.matchAll(/[\uE000-\uE0FF]/g)].map(({ 0: sign, index }) => ({
    from: index,
    to: index + 1,
    by: pronounced[sign]?.text ?? " ",
  }));
  return edited(plainTrace(text), edits);
}

/** Words where they stand in the text with its signs. */
function placedIn(result: SynthesisResult, { text, origins }: Traced): SynthesisResult {
  if (typeof result === "number" || result instanceof Float32Array) return result;
  const words = result.words.map((word) => ({
    ...word,
    ...spanOf(origins, { ...word, length: text.length }),
  }));
  return { ...result, words };
}

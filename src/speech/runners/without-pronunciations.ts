/** Writes letters in place of the signs of pronunciations, for engines that read no phonemes. */
import type { Transferable } from "node:worker_threads";
import type { Claim } from "../../engine/claim.ts";
import type { SynthesisResult, SynthesisTask } from "../../engine/protocol/synthesis.ts";
import type { Runner } from "../../engine/runner.ts";
import { edited, plainTrace, spanOf, type Traced } from "../text/origins.ts";

type Rest = [transfer?: Transferable[], claim?: Claim];

export const withoutPronunciations = (runner: Runner): Runner => ({
  async run<T>(task: object, ...rest: Rest) {
    const { pronounced, ...plain } = task as SynthesisTask;
    if (!pronounced) return runner.run<T>(task, ...rest);
    const spelled = spelledIn(plain.text, pronounced);
    const result = await runner.run<T>({ ...plain, text: spelled.text }, ...rest);
    return placedIn(result as SynthesisResult, spelled) as T;
  },
  [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
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

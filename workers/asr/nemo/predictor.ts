/**
 * The next token of a NeMo transducer: its prediction network and joint, in one graph or in two.
 *
 *   encoder frame [B, D, 1], last token [B, 1], LSTM state 2 x [L, B, H] ──> scores of tokens, and of durations for TDT
 *
 * Many utterances share a run. The prediction network runs again only for those that emitted a token.
 */
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { openJoint } from "./predictor-joint.ts";
import { openSplit } from "./predictor-split.ts";
import type { Search } from "./search.ts";
import { TransducerPath, type TransducerRules } from "./transducer.ts";

export type Predictor = {
  begin(rules: TransducerRules): Pick<Search, "path" | "memory">;
  /** Runs every search to the end of its frames. */
  run(searches: Search[]): Promise<void>;
};

type Files = { joint: string } | { decoder: string; joiner: string };

/** `tokens` includes the blank; scores beyond them are those of durations. */
export async function openPredictor(files: Files, tokens: number, placement: Placement): Promise<Predictor> {
  const step = "joint" in files ? await openJoint(files.joint, placement) : await openSplit(files, placement);
  return {
    begin: (rules) => ({
      path: new TransducerPath(rules),
      memory: { state: step.initialState(), predicted: null },
    }),
    async run(searches) {
      for (;;) {
        const active = searches.filter(({ path, from, count }) => path.frame < from + count);
        if (active.length === 0) return;
        const { scores, width, accept } = await step.run(active);
        for (const [index, search] of active.entries()) {
          const row = scores.subarray(index * width, (index + 1) * width);
          const durations = width > tokens ? row.subarray(tokens) : null;
          if (search.path.take(row.subarray(0, tokens), durations)) accept(search, index);
        }
      }
    },
  };
}

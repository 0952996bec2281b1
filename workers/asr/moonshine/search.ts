/**
 * The likeliest text of a memory, token by token. What is known of it is read in one run: the tokens of an earlier text
 * are kept as far as they are still the likeliest.
 *
 *   draft    <s> ▁and ▁so ▁my ▁fell        the first of them are fixed, and not chosen again
 *   chosen   ▁and ▁so ▁my ▁fellow ▁americans </s>
 *            ├── agreed ──┤
 *
 * Source: the greedy and speculative decoding of moonshine-ai/moonshine.
 */
import { argmax, probabilityOf } from "../../onnx/logits.ts";
import type { KeywordBias } from "../keywords/bias.ts";
import type { Cross, MoonshineDecoder, Step } from "./decoder.ts";
import { FRAME_SECONDS } from "./memory.ts";

const TOKENS_MAX = 448;

export type Decoded = {
  tokens: number[];
  probabilities: number[];
  /** Of the draft, so many tokens were still the likeliest. */
  agreed: number;
  /** Attention over the memory's frames, of each head, when a token was chosen; behind the tokens comes the end. */
  attention: (index: number) => Float32Array[];
};

type Request = {
  cross: Cross;
  draft: readonly number[];
  /** The first tokens of the draft that stay. */
  fixed: number;
  bias: KeywordBias | null;
  aligned: boolean;
};

export async function decode(
  decoder: MoonshineDecoder,
  { cross, draft, fixed, bias, aligned }: Request,
): Promise<Decoded> {
  const { bos_id, eos_id, tokensPerSecond, max_seq_len = TOKENS_MAX } = decoder.config;
  const reading = { cross, aligned };
  const most = Math.min(Math.ceil(cross.rows * FRAME_SECONDS * tokensPerSecond), max_seq_len);
  const first = await decoder.step([bos_id, ...draft], null, reading);
  const { kept, next: chosen } = verify(first, { draft, fixed, bias });
  const tokens = draft.slice(0, kept);
  const probabilities = tokens.map((token, at) => probabilityOf(first.logits[at]!, token));
  const rows = Array.from({ length: kept + 1 }, (_, place) => ({ step: first, place }));
  let past = kept === draft.length ? first.past : decoder.cut(first.past, kept + 1);
  let logits = first.logits[kept]!;
  for (let next = chosen; next !== eos_id && tokens.length < most; ) {
    tokens.push(next);
    probabilities.push(probabilityOf(logits, next));
    const step = await decoder.step([next], past, reading);
    past = step.past;
    logits = step.logits[0]!;
    rows.push({ step, place: 0 });
    next = likeliest(logits, bias);
  }
  return {
    tokens,
    probabilities,
    agreed: kept,
    attention: (index) => rows[index]!.step.attention(rows[index]!.place),
  };
}

const likeliest = (logits: Float32Array, bias: KeywordBias | null): number => {
  const best = argmax(logits);
  return bias ? bias.choose(logits, best) : best;
};

/** How many tokens of the draft are kept, and which one comes then. */
function verify({ logits }: Step, { draft, fixed, bias }: Pick<Request, "draft" | "fixed" | "bias">) {
  for (const token of draft.slice(0, fixed)) bias?.follow(token);
  for (let at = fixed; at < draft.length; at++) {
    const next = likeliest(logits[at]!, bias);
    if (next !== draft[at]) return { kept: at, next };
  }
  return { kept: draft.length, next: likeliest(logits[draft.length]!, bias) };
}

/** Greedy search: the texts of several spans, token by token, until each ends or has as many tokens as it may. */
import { argmax, probabilityOf } from "../../onnx/logits.ts";
import type { Sequences } from "./sequences.ts";

/** `isSilent`: the text may be empty. */
export type Request = { prompt: number[]; tokensMax: number; isSilent: boolean };

/** `confidence`: the probability of the token. */
export type Chosen = { token: number; confidence: number };

/** All prompts have the same length. */
export async function searchTexts(
  sequences: Sequences,
  requests: Request[],
  endOfText: number,
): Promise<Chosen[][]> {
  const texts: Chosen[][] = requests.map(() => []);
  let active = requests.map((_, index) => index);
  let logits = await sequences.step(requests.map(({ prompt }) => prompt));
  while (true) {
    const going: number[] = [];
    for (const [place, index] of active.entries()) {
      const { tokensMax, isSilent } = requests[index]!;
      const text = texts[index]!;
      const chosen = choose(logits[place]!, text.length > 0 || isSilent ? null : endOfText);
      if (chosen.token === endOfText) continue;
      text.push(chosen);
      if (text.length < tokensMax) going.push(place);
    }
    if (going.length === 0) return texts;
    if (going.length < active.length) sequences.keep(going);
    active = going.map((place) => active[place]!);
    logits = await sequences.step(active.map((index) => [texts[index]!.at(-1)!.token]));
  }
}

/** The likeliest token, other than `excluded`. */
function choose(logits: Float32Array, excluded: number | null): Chosen {
  const allowed = excluded === null ? logits : logits.with(excluded, Number.NEGATIVE_INFINITY);
  const token = argmax(allowed);
  return { token, confidence: probabilityOf(logits, token) };
}

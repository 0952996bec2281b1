/** Divides the ids of a text among runs of a model, where one run does not take all of them, and runs them in turn. */
import { cancelled, isCancelled } from "../cancel.ts";

/** A phoneme: its id, and its code unit in the phonemes; -1: it stands for none of them. */
export type KnownSymbol = { symbol: string; id: number; place: number };

/** Ids of one run, and the place of each. */
export type PhonemeRun = { ids: number[]; places: number[] };

/** Where a text may be divided, the best place first: after a sentence, a clause, a comma, a word. */
const BREAKS = [/[.!?…][”")]?/gu, /[:;]/g, /[,—]/g, / /g];

/** One, unless there are more symbols than `most`. Spaces at the ends of a run are dropped. */
export function dividedInRuns(known: readonly KnownSymbol[], most: number): PhonemeRun[] {
  const runs: PhonemeRun[] = [];
  const add = (first: number, to: number) => {
    let end = to;
    while (end > first && known[end - 1]!.symbol === " ") end--;
    const part = known.slice(first, end);
    if (part.length > 0) runs.push({ ids: part.map(({ id }) => id), places: part.map(({ place }) => place) });
  };
  let from = 0;
  while (known.length - from > most) {
    const window = known
      .slice(from, from + most)
      .map(({ symbol }) => symbol)
      .join("");
    const ends = BREAKS.map((mark) => [...window.matchAll(mark)].at(-1)).find((match) => match !== undefined);
    const cut = from + (ends ? ends.index + ends[0].length : most);
    add(from, cut);
    from = cut;
    while (known[from]?.symbol === " ") from++;
  }
  add(from, known.length);
  return runs;
}

/** What the runs of a task give. None begins once the task is no longer needed, which then fails. */
export async function inTurn<Run, Result>(
  runs: readonly Run[],
  { cancel }: { cancel?: Int32Array },
  run: (each: Run) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const each of runs) {
    if (isCancelled(cancel)) throw cancelled();
    results.push(await run(each));
  }
  return results;
}

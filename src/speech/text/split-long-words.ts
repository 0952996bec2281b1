/** Text in pieces in none of which a run of characters without a space is longer than a bound. */

/** Runs that are longer come apart, in slices; joined, the pieces are the text. */
export function* splitLongWords(text: string, runMax: number): Generator<string> {
  let done = 0;
  for (const { 0: run, index } of text.matchAll(/\S+/g)) {
    if (run.length <= runMax) continue;
    yield text.slice(done, index);
    for (let at = 0; at < run.length; at += runMax) yield run.slice(at, at + runMax);
    done = index + run.length;
  }
  yield text.slice(done);
}

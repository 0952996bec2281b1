/**
 * Whisper's tokens of one window as segments: text between two times, where a pair of times ends one and begins the next.
 *
 *   <0.00> a b <2.40><2.40> c d <5.10><5.10>      two segments; the window goes on at 5.10
 *   <0.00> a b <2.40><2.40> c d <5.10>            two segments; the window is done
 *
 * Source: the transcription loop of openai/whisper.
 */
export type WindowSegment = { start: number; end: number; tokens: number[] };

const STEP_SECONDS = 0.02;

/** `goesOn`: seconds into the window that more has to be heard from; null: it is done. Tokens are text alone. */
export function windowSegments(
  sampled: readonly number[],
  { firstTimestamp, endOfText, seconds }: { firstTimestamp: number; endOfText: number; seconds: number },
): { segments: WindowSegment[]; goesOn: number | null } {
  const isTime = (token: number | undefined) => token !== undefined && token >= firstTimestamp;
  const timeOf = (token: number) => (token - firstTimestamp) * STEP_SECONDS;
  const textOf = (tokens: readonly number[]) => tokens.filter((token) => token < endOfText);
  const endsAlone = isTime(sampled.at(-1)) && !isTime(sampled.at(-2));
  const cuts = sampled.flatMap((token, at) =>
    at > 0 && isTime(token) && isTime(sampled[at - 1]) ? [at] : [],
  );
  if (cuts.length === 0) {
    const last = sampled.findLast((token) => token > firstTimestamp);
    const end = last === undefined ? seconds : Math.min(seconds, timeOf(last));
    return { segments: [{ start: 0, end, tokens: textOf(sampled) }], goesOn: null };
  }
  if (endsAlone) cuts.push(sampled.length);
  let from = 0;
  const segments = cuts.map((cut) => {
    const slice = sampled.slice(from, cut);
    from = cut;
    return { start: timeOf(slice[0]!), end: timeOf(slice.at(-1)!), tokens: textOf(slice) };
  });
  const reached = timeOf(sampled[from - 1]!);
  return { segments, goesOn: endsAlone || reached >= seconds || reached <= 0 ? null : reached };
}

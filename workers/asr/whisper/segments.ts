/**
 * Whisper's tokens of one window as segments: text between two times, where a pair of times ends one and begins the next.
 *
 *   <0.00> a b <2.40><2.40> c d <5.10><5.10>      two segments; the next window begins at 5.10
 *   <0.00> a b <2.40><2.40> c d <5.10>            two segments; the window is done
 *
 * Source: the transcription loop of openai/whisper.
 */
export type WindowSegment = { start: number; end: number; tokens: number[]; sampled: number[] };

const STEP_SECONDS = 0.02;

/**
 * `nextStart`: where in the window the next one begins, in seconds; null: the window is done. `incomplete`: the text from
 * there on, if any, whose end the model did not give. Of a segment, `tokens` are text only, `sampled` are all.
 */
export type WindowText = {
  segments: WindowSegment[];
  nextStart: number | null;
  incomplete: WindowSegment | null;
};

/** `seconds`: of the window. */
export function windowSegments(
  sampled: readonly number[],
  { firstTimestamp, endOfText, seconds }: { firstTimestamp: number; endOfText: number; seconds: number },
): WindowText {
  const isTime = (token: number | undefined) => token !== undefined && token >= firstTimestamp;
  const timeOf = (token: number) => (token - firstTimestamp) * STEP_SECONDS;
  const textOf = (tokens: readonly number[]) => tokens.filter((token) => token < endOfText);
  const endsAlone = isTime(sampled.at(-1)) && !isTime(sampled.at(-2));
  const cuts = sampled.flatMap((token, index) =>
    index > 0 && isTime(token) && isTime(sampled[index - 1]) ? [index] : [],
  );
  if (cuts.length === 0) {
    const last = sampled.findLast((token) => token > firstTimestamp);
    const end = last === undefined ? seconds : Math.min(seconds, timeOf(last));
    const segment = { start: 0, end, tokens: textOf(sampled), sampled: [...sampled] };
    return { segments: [segment], nextStart: null, incomplete: null };
  }
  if (endsAlone) cuts.push(sampled.length);
  let from = 0;
  const segments = cuts.map((cut) => {
    const slice = sampled.slice(from, cut);
    from = cut;
    return { start: timeOf(slice[0]!), end: timeOf(slice.at(-1)!), tokens: textOf(slice), sampled: slice };
  });
  const end = timeOf(sampled[from - 1]!);
  if (endsAlone || end >= seconds || end <= 0) return { segments, nextStart: null, incomplete: null };
  const rest = sampled.slice(from);
  const incomplete = { start: end, end: seconds, tokens: textOf(rest), sampled: rest };
  return { segments, nextStart: end, incomplete: incomplete.tokens.length > 0 ? incomplete : null };
}

/** When a token was spoken, in seconds of the window. */
export type TokenTime = { start: number; end: number };

/** Without alignment, the tokens of a segment divide its time evenly. */
export const evenTimes = (segments: readonly WindowSegment[]): TokenTime[] =>
  segments.flatMap(({ start, end, tokens }) => {
    const seconds = (end - start) / tokens.length;
    return tokens.map((_, index) => ({ start: start + index * seconds, end: start + (index + 1) * seconds }));
  });

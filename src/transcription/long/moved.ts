/** What was recognized in a part of a recording, moved to its place in the recording. */
import type { Hypothesis } from "../../engine/protocol/recognition.ts";

/** `offset`: where the part begins, in seconds. */
export const moved = ({ start, end, words, decodings, ...rest }: Hypothesis, offset: number): Hypothesis => ({
  ...rest,
  start: start + offset,
  end: end + offset,
  words: words.map((word) => ({ ...word, start: word.start + offset, end: word.end + offset })),
  ...(decodings ? { decodings: decodings.map((each) => ({ ...each, start: each.start + offset })) } : {}),
});

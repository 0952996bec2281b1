/**
 * Whisper's special tokens, and the grammar of timestamps in a transcript, which is enforced by masking every token that
 * may not come next.
 *
 *   <|sot|> language task   <|0.00|> text … <|2.40|><|2.40|> text … <|5.10|>   <|eot|>
 *
 * Times come in pairs around each segment and never go back. Source: the published decoding rules of openai/whisper.
 */
const TIMESTAMPS = 1501; // from 0 to 30 s, one every 20 ms

/** By the number of text tokens and of languages: 50257 and 99 for most, 100 since v3, 50256 and 99 in English. */
export function specialTokens(textTokens: number, languages: number) {
  const firstLanguage = textTokens + 2;
  const translate = firstLanguage + languages;
  return {
    endOfText: textTokens,
    startOfTranscript: textTokens + 1,
    firstLanguage,
    translate,
    transcribe: translate + 1,
    startOfLm: translate + 2,
    startOfPrevious: translate + 3,
    noSpeech: translate + 4,
    noTimestamps: translate + 5,
    firstTimestamp: translate + 6,
    vocabulary: translate + 6 + TIMESTAMPS,
  };
}

type SpecialTokens = ReturnType<typeof specialTokens>;

export type WhisperRules = {
  special: SpecialTokens;
  /** Tokens that are not speech, such as brackets and musical notes. From the model's own configuration. */
  suppressed: readonly number[];
  /** What a transcript may not begin with: a lone space. */
  blank: readonly number[];
  timestamps: boolean;
  /** The latest time that the first segment may begin at, in timestamp tokens. */
  firstMax: number;
};

const NEVER = Number.NEGATIVE_INFINITY;

/** Masks in `logits` every token that may not follow those sampled so far. */
export function applyRules(logits: Float32Array, sampled: readonly number[], rules: WhisperRules): void {
  const { special, suppressed, blank, timestamps } = rules;
  const { startOfTranscript, translate, transcribe, startOfLm, startOfPrevious, noSpeech } = special;
  const never = [startOfTranscript, translate, transcribe, startOfLm, startOfPrevious, noSpeech];
  for (const token of [...suppressed, ...never]) logits[token] = NEVER;
  if (sampled.length === 0) for (const token of [...blank, special.endOfText]) logits[token] = NEVER;
  if (timestamps) applyTimes(logits, sampled, rules);
}

function applyTimes(
  logits: Float32Array,
  sampled: readonly number[],
  { special, firstMax }: WhisperRules,
): void {
  const { firstTimestamp: first, endOfText, noTimestamps } = special;
  const isTime = (token: number | undefined) => token !== undefined && token >= first;
  logits[noTimestamps] = NEVER;
  const wasTime = isTime(sampled.at(-1));
  const wasPair = sampled.length < 2 || isTime(sampled.at(-2));
  if (wasTime && wasPair) logits.fill(NEVER, first);
  if (wasTime && !wasPair) logits.fill(NEVER, 0, endOfText);
  const last = sampled.findLast(isTime);
  // a segment takes some time: only the second of a pair may repeat the first
  if (last !== undefined) logits.fill(NEVER, first, wasTime && !wasPair ? last : last + 1);
  if (sampled.length === 0) {
    logits.fill(NEVER, 0, first);
    logits.fill(NEVER, first + firstMax + 1);
  }
  if (logSumOfTimes(logits, first) > greatest(logits, first)) logits.fill(NEVER, 0, first);
}

/** Whether all timestamps together are more probable than the most probable text token. */
function logSumOfTimes(logits: Float32Array, first: number): number {
  const times = logits.subarray(first);
  const top = greatest(times, times.length);
  if (top === NEVER) return NEVER;
  return top + Math.log(times.reduce((sum, value) => sum + Math.exp(value - top), 0));
}

function greatest(values: Float32Array, count: number): number {
  let most = NEVER;
  for (let index = 0; index < count; index++) most = Math.max(most, values[index]!);
  return most;
}

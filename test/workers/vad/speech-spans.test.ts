/** Promise: spans equal the reference, in order, without overlap, and never longer than the limit. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SPAN_RULES, speechSpans } from "../../../workers/vad/speech-spans.ts";
import { goldens, hasGoldens, numbers, unlessGoldens } from "../asr/goldens.ts";

const COUNT = 400;
const LENGTH = COUNT * 512;

/** As the goldens' note says. */
function probabilities(): Float32Array {
  const noise = numbers(99, COUNT);
  return Float32Array.from({ length: COUNT }, (_, at) => {
    const speech = at % 57 < 38 || (at >= 150 && at < 320) ? 0.9 : 0.08;
    return Math.min(1, Math.max(0, speech + (noise[at]! - 0.5) * 0.3));
  });
}

const CASES = {
  vad_defaults_silero_like: {},
  vad_faster_whisper_batched: { minMs: 0, silenceMs: 160, padMs: 400, longestSeconds: 30 },
  vad_max4s: { minMs: 0, silenceMs: 160, padMs: 100, longestSeconds: 4 },
};

describe.skipIf(!hasGoldens)(`goldens${unlessGoldens}`, () => {
  test.each(Object.entries(CASES))("%s", (name, rules) => {
    expect(speechSpans(probabilities(), LENGTH, { ...SPAN_RULES, ...rules })).toEqual(goldens[name].segments);
  });
});

test("spans are ordered, do not overlap, lie within the recording, and keep to the limit", () => {
  const any = fc.array(fc.constantFrom(0.05, 0.42, 0.6, 0.95), { minLength: 1, maxLength: 600 });
  fc.assert(
    fc.property(any, (probabilities) => {
      const rules = { ...SPAN_RULES, silenceMs: 160, padMs: 100, longestSeconds: 4 };
      const length = probabilities.length * 512;
      const spans = speechSpans(Float32Array.from(probabilities), length, rules);
      let last = 0;
      for (const { start, end } of spans) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        expect(end - start).toBeLessThanOrEqual(4 * 16_000);
        last = end;
      }
      expect(last).toBeLessThanOrEqual(length);
    }),
  );
});

/** Promise: greedy decoding of a transducer equals the reference, token by token and frame by frame. */
import { describe, expect, test } from "bun:test";
import { TransducerPath, type TransducerRules } from "../../../../workers/asr/nemo/transducer.ts";
import { argmax } from "../../../../workers/onnx/logits.ts";
import { goldens, hasGoldens, numbers, unlessGoldens } from "../goldens.ts";

const FRAMES = 14;
const BLANK = 5;
const RULES: Record<string, TransducerRules> = {
  tdt_greedy: { blank: BLANK, symbolsMax: 10, durations: [0, 1, 2, 3, 4] },
  rnnt_greedy: { blank: BLANK, symbolsMax: 10, durations: null },
};

describe.skipIf(!hasGoldens)(`greedy decoding equals the goldens${unlessGoldens}`, () => {
  test.each(Object.entries(RULES))("with %s", (name, rules) => {
    const path = new TransducerPath(rules);
    let state = 0;
    while (path.frame < FRAMES) {
      const scores = Float32Array.from(numbers(1000 * path.frame + 17 * path.token + state, 11));
      const durations = rules.durations ? scores.subarray(6) : null;
      if (path.take(scores.subarray(0, 6), durations)) state++;
    }
    expect(path.emissions.map(({ token }) => token)).toEqual(goldens[name].tokens);
    expect(path.emissions.map(({ frame }) => frame)).toEqual(goldens[name].frames);
  });
});

describe("greedy decoding", () => {
  const only = (token: number, size = 6) =>
    Float32Array.from({ length: size }, (_, at) => (at === token ? 1 : 0));

  test("advances one frame at a blank, and keeps its state", () => {
    const path = new TransducerPath(RULES.rnnt_greedy!);
    expect(path.take(only(BLANK))).toBe(false);
    expect([path.frame, path.token, path.emissions.length]).toEqual([1, BLANK, 0]);
  });

  test("emits at most the maximum of tokens on one frame", () => {
    const path = new TransducerPath(RULES.rnnt_greedy!);
    for (let at = 0; at < 25; at++) path.take(only(2));
    expect(path.frame).toBe(2);
    expect(path.emissions.filter(({ frame }) => frame === 0)).toHaveLength(10);
  });

  test("advances by the duration that the model predicts", () => {
    const path = new TransducerPath(RULES.tdt_greedy!);
    path.take(only(2), only(4, 5));
    expect([path.frame, path.emissions]).toEqual([
      4,
      [{ token: 2, frame: 0, frames: 4, confidence: expect.any(Number) }],
    ]);
    path.take(only(3), only(0, 5));
    expect(path.frame).toBe(4);
    path.take(only(BLANK), only(0, 5));
    expect(path.frame).toBe(5);
  });

  test("prefers the first of equal scores", () => {
    expect(argmax(Float32Array.of(1, 3, 3, 2))).toBe(1);
  });
});

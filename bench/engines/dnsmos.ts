/**
 * DNSMOS P.835, which predicts how listeners would rate a recording, from 1 to 5. Nine seconds of 16 kHz go in at a time;
 * three polynomials map the model's raw answers to scores, as its authors do.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";

const MODEL = fileURLToPath(new URL("../../../shared/models/dnsmos/sig_bak_ovr.onnx", import.meta.url));
const WINDOW = Math.round(9.01 * ASR_SAMPLE_RATE);
const HOP = ASR_SAMPLE_RATE;

/** Coefficients, highest power first. */
const SCORES = {
  signal: [-0.08397278, 1.22083953, 0.0052439],
  background: [-0.13166888, 1.60915514, -0.39604546],
  overall: [-0.06766283, 1.11546468, 0.04602535],
};

export type Scores = { signal: number; background: number; overall: number };

/** Null where the model is not here. */
export async function openDnsmos(): Promise<((samples: Float32Array) => Promise<Scores>) | null> {
  if (!existsSync(MODEL)) return null;
  const session = await InferenceSession.create(MODEL, { intraOpNumThreads: 2 });
  return (samples) => score(session, samples);
}

/** The mean over windows a second apart; a recording shorter than a window is repeated until it fills one. */
async function score(session: InferenceSession, samples: Float32Array): Promise<Scores> {
  const whole = new Float32Array(Math.max(samples.length, WINDOW)).map(
    (_, i) => samples[i % samples.length]!,
  );
  const sums = { signal: 0, background: 0, overall: 0 };
  let windows = 0;
  for (let offset = 0; offset + WINDOW <= whole.length; offset += HOP, windows++) {
    const input = new Tensor("float32", whole.slice(offset, offset + WINDOW), [1, WINDOW]);
    const output = await session.run({ [session.inputNames[0]!]: input });
    const [signal, background, overall] = output[session.outputNames[0]!]!.data as Float32Array;
    sums.signal += polynomial(SCORES.signal, signal!);
    sums.background += polynomial(SCORES.background, background!);
    sums.overall += polynomial(SCORES.overall, overall!);
  }
  return {
    signal: sums.signal / windows,
    background: sums.background / windows,
    overall: sums.overall / windows,
  };
}

const polynomial = (coefficients: number[], x: number) =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);

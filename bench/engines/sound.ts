/**
 * A text as the pieces that the synthesizer yields, and the faults that can be seen in their samples.
 *
 *   piece │ silence of a pause │ piece │ …      24 kHz; a join lies between two of them
 */

import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { PlannedSegment } from "../../src/engine/protocol/plan.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import type { Inference } from "../../src/server/inference.ts";
import { type Delivery, planSpeech } from "../../src/speech/plan.ts";
import { synthesize } from "../../src/speech/synthesize.ts";

type Speaker = { engine: string; speaker: string; locale: string };

export type Spoken = { plan: PlannedSegment[]; pieces: Float32Array[]; samples: Float32Array };

/** Segments fade to silence at both ends: a jump at a join that is smaller (-40 dB of full scale) is not heard. */
const QUIET_JUMP = 0.01;
const AROUND = TTS_SAMPLE_RATE / 100;
/** A model never computes as many zeros. A voice made by rules is silent in stops, and at conjunctions of its language. */
const HOLE_MS = { model: 20, rules: 200 };
/** That a voice pauses at, with more behind it. */
const MARK = /[.!?,;:—–][”"')]? |[，。！？、；：](?=.)/g;

export async function speakText(
  { registry }: Pick<Inference, "registry">,
  { engine, speaker, locale }: Speaker,
  { text, delivery = "whole" }: { text: string; delivery?: Delivery },
): Promise<Spoken> {
  const plan = planSpeech(text, locale, delivery);
  const request = { engine, speaker, text, language: locale, speed: 1, instructions: "", claim: soleClaim() };
  const pieces = await Array.fromAsync(synthesize(registry.engine(engine), request, plan));
  const samples = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    samples.set(piece, offset);
    offset += piece.length;
  }
  return { plan, pieces, samples };
}

/**
 * The greatest jump from a sample to the next at a join, as a factor of what is unsuspicious there: the greatest jump of the
 * 10 ms on both sides, as a join inside of speech has the jumps of speech, or `QUIET_JUMP`.
 */
export function clickOf({ pieces, samples }: Spoken): number {
  let worst = 0;
  let at = 0;
  for (const { length } of pieces.slice(0, -1)) {
    at += length;
    const around = Math.max(
      greatestJump(samples, at - AROUND, at - 1),
      greatestJump(samples, at + 1, at + AROUND),
    );
    worst = Math.max(worst, greatestJump(samples, at, at) / Math.max(QUIET_JUMP, around));
  }
  return worst;
}

/** Of the samples `from` to `to`, each from the one before it. */
function greatestJump(samples: Float32Array, from: number, to: number): number {
  let greatest = 0;
  for (let at = Math.max(1, from); at <= Math.min(to, samples.length - 1); at++)
    greatest = Math.max(greatest, Math.abs(samples[at]! - samples[at - 1]!));
  return greatest;
}

/**
 * Runs of exact zeros between the first and the last sound of a piece, beyond those that a mark inside its segment explains.
 */
export function holesOf({ plan, pieces }: Spoken, made: keyof typeof HOLE_MS): number {
  const marks = plan.reduce((sum, { text }) => sum + [...text.matchAll(MARK)].length, 0);
  return Math.max(0, pieces.reduce((sum, piece) => sum + zeroRuns(piece, HOLE_MS[made]), 0) - marks);
}

function zeroRuns(piece: Float32Array, longestMs: number): number {
  const longest = (longestMs / 1000) * TTS_SAMPLE_RATE;
  let [runs, zeros, begun] = [0, 0, false];
  for (const sample of piece) {
    if (sample === 0) {
      zeros++;
      continue;
    }
    if (begun && zeros > longest) runs++;
    [zeros, begun] = [0, true];
  }
  return runs;
}

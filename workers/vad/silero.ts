/**
 * Silero VAD: how likely a window of 32 ms is speech, for many streams in one run of the graph.
 *
 *   input [B, 576] = 64 samples of the window before and 512 new ones, state [2, B, 128] ──> output [B, 1], stateN
 *
 * Source: the published graph, version 6 (opset 16, MIT); the shapes are its signature.
 */

import { openGraph, type Signature } from "../onnx/session.ts";
import type { Detector } from "./detector.ts";

const WINDOW = 512;
const CONTEXT = 64;
const STATE = 128;
const LATE = 768; // 48 ms, measured: 47 to 77 after the last sample of twenty sentences
const SPAN = CONTEXT + WINDOW;

const SIGNATURE: Signature = {
  inputs: {
    input: { type: "float32", shape: [null, SPAN] },
    state: { type: "float32", shape: [2, null, STATE] },
    sr: { type: "int64", shape: [] },
  },
  outputs: {
    output: { type: "float32", shape: [null, 1] },
    stateN: { type: "float32", shape: [2, null, STATE] },
  },
};

type Stream = { state: Float32Array; context: Float32Array };

/** A file's path, or its bytes. */
export async function openSilero(graph: string | Uint8Array): Promise<Detector<Stream>> {
  const { session, Tensor } = await openGraph(graph, SIGNATURE);
  const sr = new Tensor("int64", BigInt64Array.of(16_000n), []);
  return {
    windowSamples: WINDOW,
    lateSamples: LATE,
    open: () => ({ state: new Float32Array(2 * STATE), context: new Float32Array(CONTEXT) }),
    close: () => {},
    async detect(streams, windows) {
      const count = streams.length;
      const input = new Tensor("float32", inputOf(streams, windows), [count, SPAN]);
      const state = new Tensor("float32", stateOf(streams), [2, count, STATE]);
      const { output, stateN } = await session.run({ input, state, sr });
      keep(streams, windows, stateN!.data as Float32Array);
      return output!.data as Float32Array;
    },
  };
}

function inputOf(streams: Stream[], windows: Float32Array[]): Float32Array {
  const input = new Float32Array(streams.length * SPAN);
  for (const [index, { context }] of streams.entries()) {
    input.set(context, index * SPAN);
    input.set(windows[index]!, index * SPAN + CONTEXT);
  }
  return input;
}

function stateOf(streams: Stream[]): Float32Array {
  const state = new Float32Array(2 * streams.length * STATE);
  for (const [index, stream] of streams.entries()) {
    state.set(stream.state.subarray(0, STATE), index * STATE);
    state.set(stream.state.subarray(STATE), (streams.length + index) * STATE);
  }
  return state;
}

function keep(streams: Stream[], windows: Float32Array[], next: Float32Array): void {
  for (const [index, stream] of streams.entries()) {
    stream.state.set(next.subarray(index * STATE, (index + 1) * STATE));
    const second = streams.length + index;
    stream.state.set(next.subarray(second * STATE, (second + 1) * STATE), STATE);
    stream.context.set(windows[index]!.subarray(WINDOW - CONTEXT));
  }
}

/**
 * The WebRTC voice activity detector, used where no model is installed. It decides for 30 ms at a time; the share of speech
 * among the last three decisions is the probability.
 */
import createModule from "@echogarden/fvad-wasm";
import { toInt16 } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { readAsset } from "../../src/resources.ts";
import type { Detector } from "./detector.ts";

const WINDOW = 480; // 30 ms, the longest it takes
const AGGRESSIVENESS = 2; // of 0 to 3: lower ones take noise for speech
const VOTES = 3;
const LATE = 0;
/** Windows in which it learns the noise of a stream, and takes any noise for speech. */
const LEARNING = 4;

type Stream = { instance: number; votes: number[]; windows: number };

export async function openFvad(): Promise<Detector<Stream>> {
  const native = await createModule({ wasmBinary: readAsset("@echogarden/fvad-wasm/fvad.wasm") });
  const frame = native._malloc(WINDOW * Int16Array.BYTES_PER_ELEMENT);
  const isSpeech = (instance: number, window: Float32Array): number => {
    native.HEAP16.set(toInt16(window), frame / Int16Array.BYTES_PER_ELEMENT);
    return native._fvad_process(instance, frame, WINDOW) === 1 ? 1 : 0;
  };
  return {
    windowSamples: WINDOW,
    lateSamples: LATE,
    open() {
      const instance = native._fvad_new();
      if (instance === 0) throw new Error("the voice activity detector is out of memory");
      native._fvad_set_sample_rate(instance, ASR_SAMPLE_RATE);
      native._fvad_set_mode(instance, AGGRESSIVENESS);
      return { instance, votes: [], windows: 0 };
    },
    close: ({ instance }) => native._fvad_free(instance),
    async detect(streams, windows) {
      return Float32Array.from(streams, (stream, index) => {
        const vote = isSpeech(stream.instance, windows[index]!);
        stream.votes = [...stream.votes, stream.windows++ < LEARNING ? 0 : vote].slice(-VOTES);
        return stream.votes.reduce((sum, vote) => sum + vote, 0) / VOTES;
      });
    },
  };
}

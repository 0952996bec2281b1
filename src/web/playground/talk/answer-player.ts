/** Plays answers as they arrive, in an audio worklet that tells what was played. */
import { TTS_SAMPLE_RATE } from "../../../audio/rates.ts";
import type { PlayedSamples } from "../audio/sample-queue.ts";
import type { Samples } from "../audio/sample-text.ts";
import { loadWorklet } from "../audio/worklet.ts";

export type AnswerPlayer = {
  push(itemId: string, samples: Samples): void;
  /** What waits is not played any more. */
  stop(): void;
  /** Between a sample's playing and its sound. */
  latencyMs(): number;
  close(): void;
};

/** Opened by a click, because browsers start audio only then. */
export async function openAnswerPlayer(onPlayed: (played: PlayedSamples) => void): Promise<AnswerPlayer> {
  const context = new AudioContext({ sampleRate: TTS_SAMPLE_RATE });
  const close = () => {
    if (context.state !== "closed") void context.close();
  };
  try {
    await loadWorklet(context, "loudspeaker");
    void context.resume();
    const node = new AudioWorkletNode(context, "loudspeaker", { numberOfInputs: 0, outputChannelCount: [1] });
    node.connect(context.destination);
    node.port.onmessage = ({ data }: MessageEvent<PlayedSamples>) => onPlayed(data);
    return {
      push: (itemId, samples) => node.port.postMessage({ itemId, samples }, [samples.buffer]),
      stop: () => node.port.postMessage(null),
      latencyMs: () => 1000 * (context.outputLatency || context.baseLatency || 0), // not every browser tells both
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

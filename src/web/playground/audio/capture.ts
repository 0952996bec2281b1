/** The microphone, as chunks of 16-bit samples at the browser's own rate. */

import { showRecording } from "../../browser/tab-icon.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import type { Samples } from "./sample-text.ts";
import { loadWorklet } from "./worklet.ts";

const CHUNK_SECONDS = 0.1;

export type Capture = {
  sampleRate: number;
  /** A muted microphone sends silence. */
  mute(isMuted: boolean): void;
  /** Sends what is left of the last chunk, then resolves. The microphone is closed at once. */
  finish(): Promise<void>;
  /** Closes the microphone. */
  close(): void;
};

/** Whether this page may ask for the microphone: browsers offer it to HTTPS and localhost only. */
export const isMicrophoneOffered = (): boolean =>
  window.isSecureContext && navigator.mediaDevices !== undefined;

/** `constraints`: beside one channel. */
export async function openCapture(
  onSamples: (samples: Samples) => void,
  constraints: MediaTrackConstraints = {},
): Promise<Capture> {
  const media = await askForMicrophone(constraints);
  const context = new AudioContext();
  const shown = showRecording();
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    for (const track of media.getTracks()) track.stop();
    void context.close();
    shown();
  };
  try {
    await loadWorklet(context, "microphone");
    const node = new AudioWorkletNode(context, "microphone", {
      processorOptions: { chunkSamples: Math.round(context.sampleRate * CHUNK_SECONDS) },
    });
    context.createMediaStreamSource(media).connect(node);
    const rest = Promise.withResolvers<void>();
    node.port.onmessage = ({ data }: MessageEvent<Samples | null>) => {
      if (data) return onSamples(data);
      rest.resolve();
    };
    return {
      sampleRate: context.sampleRate,
      mute(isMuted) {
        for (const track of media.getTracks()) track.enabled = !isMuted;
      },
      async finish() {
        node.port.postMessage("finish");
        await rest.promise;
        close();
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

const REASONS = {
  NotAllowedError: "microphoneDenied",
  NotFoundError: "noMicrophone",
  NotReadableError: "microphoneBusy",
} as const;

const isKnown = (name: string): name is keyof typeof REASONS => Object.hasOwn(REASONS, name);

async function askForMicrophone(constraints: MediaTrackConstraints): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, ...constraints } });
  } catch (error) {
    const { name, message } = error as Error;
    throw new Error(isKnown(name) ? transcribeTexts()(REASONS[name]) : message, { cause: error });
  }
}

/** The root mean square, scaled so that normal speech fills a meter from 0 to 1. */
export function levelOf(samples: Samples): number {
  let power = 0;
  for (const sample of samples) power += (sample / 32_768) ** 2;
  return Math.min(1, 3 * Math.sqrt(power / samples.length));
}

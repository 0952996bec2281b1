/** The microphone, as chunks of 16-bit samples at the browser's own rate. */

import { ping } from "../../browser/connection.ts";
import { site } from "../../browser/site.ts";

const CHUNK_SECONDS = 0.1;
const WORKLET = "/assets/microphone.js";

export type Capture = {
  sampleRate: number;
  /** Sends what is left of the last chunk, then resolves. The microphone is closed at once. */
  finish(): Promise<void>;
  /** Closes the microphone. */
  close(): void;
};

/** Whether this page may ask for the microphone: browsers offer it to HTTPS and localhost only. */
export const isMicrophoneOffered = (): boolean =>
  window.isSecureContext && navigator.mediaDevices !== undefined;

export type Samples = Int16Array<ArrayBuffer>;

export async function openCapture(onSamples: (samples: Samples) => void): Promise<Capture> {
  const media = await askForMicrophone();
  const context = new AudioContext();
  const silence = () => {
    for (const track of media.getTracks()) track.stop();
  };
  const close = () => {
    silence();
    if (context.state !== "closed") void context.close();
  };
  try {
    await loadWorklet(context);
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

async function loadWorklet(context: AudioContext): Promise<void> {
  try {
    await context.audioWorklet.addModule(site.base + WORKLET);
  } catch (cause) {
    const reason = (await ping())
      ? "The recorder could not be loaded. Reload the page."
      : "The recorder could not be loaded: the server cannot be reached. Try again once it answers.";
    throw new Error(reason, { cause });
  }
}

const REASONS: Record<string, string> = {
  NotAllowedError: "The browser did not allow the microphone. Allow it for this page in the address bar.",
  NotFoundError: "No microphone was found. Connect one and try again.",
  NotReadableError: "Another program is using the microphone.",
};

async function askForMicrophone(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  } catch (error) {
    const { name, message } = error as Error;
    throw new Error(REASONS[name] ?? message, { cause: error });
  }
}

/** The root mean square, scaled so that normal speech fills a meter from 0 to 1. */
export function levelOf(samples: Samples): number {
  let power = 0;
  for (const sample of samples) power += (sample / 32_768) ** 2;
  return Math.min(1, 3 * Math.sqrt(power / samples.length));
}

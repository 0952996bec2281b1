/** The packages to pull for a machine: what its cores and memory run well. */
import { availableParallelism, totalmem } from "node:os";

export type Machine = { cores: number; memoryBytes: number; gpu: boolean };

export const thisMachine = (gpu: boolean): Machine => ({
  cores: availableParallelism(),
  memoryBytes: totalmem(),
  gpu,
});

const GIGABYTE = 2 ** 30;

/** Names of packages, the most useful first. */
export function recommended({ cores, memoryBytes, gpu }: Machine): string[] {
  const roomy = gpu || memoryBytes >= 6 * GIGABYTE;
  const voices = ["misaki-en", "kokoro-82m"];
  const recognizers = gpu
    ? ["parakeet-tdt-0.6b-v3", "nemotron-3.5-streaming", "whisper-large-v3-turbo"]
    : roomy && cores >= 4
      ? ["parakeet-tdt-0.6b-v3", "nemotron-3.5-streaming"]
      : [memoryBytes >= 3 * GIGABYTE ? "whisper-base" : "whisper-tiny"];
  return ["silero-vad", ...voices, ...recognizers, ...(roomy ? ["piper-de-thorsten"] : [])];
}

/** The published implementations in Python that engines are compared with. */
import { pythonWith } from "../../testing/python.ts";

/** Those compared with, and what their figures depend on. */
export const PEERS = [
  "faster-whisper==1.2.1",
  "ctranslate2==4.8.5",
  "kokoro-onnx==0.6.1",
  "piper-tts==1.8.0",
  "onnxruntime==1.32.0",
  "numpy==2.4.6",
];

let made: string | null | undefined;

/** The interpreter that has all of `PEERS`; null where it cannot be made, and standard error says why. */
export function peersPython(): string | null {
  if (made === undefined) made = pythonWith(PEERS);
  return made;
}

/** The libraries of ElevenLabs and Deepgram in Python, in a virtual environment of their own. */
import { fileURLToPath } from "node:url";
import { pythonWith } from "../../../../testing/python.ts";

const PACKAGES = ["elevenlabs==2.78.0", "deepgram-sdk==7.17.0"];

let python: string | null | undefined;

/** Runs a script of this folder; null where the libraries are not here. `unless`: for the titles of tests, why they are skipped. */
export function sdkCommand(script: string): { command: string[] | null; unless: string } {
  if (python === undefined) python = pythonWith(PACKAGES);
  if (python === null)
    return { command: null, unless: " (skipped: the libraries in Python could not be installed)" };
  return { command: [python, fileURLToPath(new URL(script, import.meta.url))], unless: "" };
}

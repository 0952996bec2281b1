/** The clients in Python, in a virtual environment of their own. */
import { fileURLToPath } from "node:url";
import { pythonWith } from "../../../../testing/python.ts";

const PACKAGES = ["pipecat-ai[openai]==1.14.0", "livekit-agents==1.8.9", "livekit-plugins-openai==1.8.9"];

let python: string | null | undefined;

/** Runs a script of this folder; null where the clients are not here. `unless`: for the titles of tests, why they are skipped. */
export function pythonCommand(script: string): { command: string[] | null; unless: string } {
  if (python === undefined) python = pythonWith(PACKAGES);
  if (python === null)
    return { command: null, unless: " (skipped: the clients in Python could not be installed)" };
  return { command: [python, fileURLToPath(new URL(script, import.meta.url))], unless: "" };
}

/** Writes the transcript of each recording where it belongs: to standard output, or to a file. One that fails leaves the others. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { OperatorError, Refusal } from "../../errors.ts";
import { note, UsageError } from "../base/output.ts";
import type { Recording } from "./recordings.ts";

/** `force`: replaces files. */
type Writing = { force: true | undefined; transcriptOf: (recording: Recording) => Promise<string> };

export async function writeTranscripts(
  recordings: readonly Recording[],
  { force, transcriptOf }: Writing,
): Promise<void> {
  for (const { output } of recordings) if (output !== null) mkdirSync(dirname(output), { recursive: true });
  for (const recording of recordings) {
    const { name, output } = recording;
    try {
      if (output !== null && existsSync(output) && !force)
        throw new UsageError(`${output} exists. Add --force to replace it.`);
      const text = await transcriptOf(recording);
      if (output === null) process.stdout.write(text);
      else writeFileSync(output, text);
    } catch (error) {
      if (recordings.length === 1 || !isReported(error)) throw error;
      note(`${name}: ${error.message}`);
      process.exitCode = 1;
      continue;
    }
    if (output !== null) note(`${name}: ${output}`);
  }
}

const isReported = (error: unknown): error is Error =>
  error instanceof Refusal || error instanceof OperatorError || error instanceof UsageError;

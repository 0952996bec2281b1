/**
 * Runs one command, and decides how the run ends.
 *
 * Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 failed, 2 not understood.
 */
import { CommanderError } from "@commander-js/extra-typings";
import { OperatorError, Refusal } from "../errors.ts";
import { forbidTracing } from "../natives/libc.ts";
import { note, UsageError } from "./base/output.ts";
import { programFor } from "./program.ts";

/** Runs it as what this process does. */
export async function runProcess(args: string[]): Promise<void> {
  forbidTracing(); // it holds secrets and users' recordings
  process.exitCode = await runCommand(args);
}

/** Returns the exit code. */
async function runCommand(args: string[]): Promise<number> {
  process.stdout.on("error", (error) => {
    if (!isClosedPipe(error)) throw error;
    process.exit(0);
  });
  try {
    const program = await programFor(args);
    await program.parseAsync(args.length > 0 ? args : ["--help"], { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // its message is printed already
    if (isClosedPipe(error)) return 0;
    const isUsage = error instanceof UsageError;
    if (!isUsage && !(error instanceof OperatorError || error instanceof Refusal)) throw error;
    note((error as Error).message);
    return isUsage ? 2 : 1;
  }
}

/** `loquat … | head`: the reader of the results has read enough. */
const isClosedPipe = (error: unknown) => (error as { code?: string }).code === "EPIPE";

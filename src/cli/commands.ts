/**
 * Runs one command, and decides how the run ends.
 *
 * Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 failed, 2 not understood.
 */
import { CommanderError } from "@commander-js/extra-typings";
import { BackupError } from "../backup/backup-manifest.ts";
import { ConfigError } from "../config.ts";
import { ProviderError } from "../engine/gpu/provider.ts";
import { Refusal } from "../errors.ts";
import { ManifestError } from "../models/manifest.ts";
import { PackageError } from "../models/packages/package.ts";
import { ModelStoreError } from "../models/store/store-error.ts";
import { note, UsageError } from "./base/output.ts";
import { programFor } from "./program.ts";
import { UpgradeError } from "./upgrade/upgrade-error.ts";

/** Returns the exit code. */
export async function runCommand(args: string[]): Promise<number> {
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
    if (!isUsage && !EXPECTED.some((kind) => error instanceof kind)) throw error;
    note((error as Error).message);
    return isUsage ? 2 : 1;
  }
}

/** What the operator can correct; anything else is a bug and shows its stack. */
const EXPECTED = [
  BackupError,
  ConfigError,
  ManifestError,
  PackageError,
  ModelStoreError,
  ProviderError,
  Refusal,
  UpgradeError,
];

/** `loquat … | head`: the reader of the results has read enough. */
const isClosedPipe = (error: unknown) => (error as { code?: string }).code === "EPIPE";

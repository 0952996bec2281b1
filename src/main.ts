#!/usr/bin/env bun
/** The process: arguments in, exit code out. No logic. */
import { RUN_WORKER } from "./engine/worker-process.ts";
import { forbidTracing } from "./natives/libc.ts";
import { hasWorker, isPacked, worker } from "./resources.ts";

const [, , first, name = ""] = process.argv;
if (isPacked && first === RUN_WORKER && hasWorker(name)) {
  process.argv.splice(2, 2); // the rest are the worker's own
  await import(worker(name).pathname);
} else {
  forbidTracing(); // it holds secrets and users' recordings
  const { runCommand } = await import("./cli/commands.ts");
  process.exitCode = await runCommand(process.argv.slice(2));
}

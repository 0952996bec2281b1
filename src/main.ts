#!/usr/bin/env bun
/** The process: arguments in, exit code out. No logic. */
import { hasWorker, isPacked, RUN_WORKER, resource, worker } from "./resources.ts";
import { currentBundle } from "./source-bundle.mjs";

/** Options of Bun with which a developer looks at the sources. */
const LOOKS = /^--(watch|hot|inspect|cpu-prof|heap-prof)/;

const [, , first, name = ""] = process.argv;
if (isPacked && first === RUN_WORKER && hasWorker(name)) {
  process.argv.splice(2, 2); // the rest are the worker's own
  await import(worker(name).pathname);
} else {
  const ofSources = isPacked || process.execArgv.some((option) => LOOKS.test(option));
  const bundle = ofSources ? null : currentBundle(resource(""));
  const { runProcess }: typeof import("./cli/commands.ts") =
    bundle === null ? await import("./cli/commands.ts") : await import(bundle);
  await runProcess(process.argv.slice(2));
}

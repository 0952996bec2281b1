#!/usr/bin/env bun
/** The process: arguments in, exit code out. No logic. */
import { runCommand } from "./cli/commands.ts";
import { forbidTracing } from "./engine/libc.ts";

forbidTracing(); // it holds secrets and everybody's recordings

process.exitCode = await runCommand(process.argv.slice(2));

#!/usr/bin/env bun
/** The process: arguments in, exit code out. No logic. */
import { runCommand } from "./cli/commands.ts";

process.exitCode = await runCommand(process.argv.slice(2));

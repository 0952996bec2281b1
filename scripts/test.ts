/**
 * `npm test`: all tests, or those of the arguments, up to four files at a time; then the files in which a test failed once
 * more, one after another from their start. A test that passes only then is named. Closes with the counts of both runs together.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { totalmem } from "node:os";
import process from "node:process";
import { createInterface } from "node:readline";
import { openReading, type Printed } from "./test-output.ts";

const FILES_MAX = 20; // more did not fail by chance
const TIMEOUT_MS = 120_000;
/** With six at a time on two processors, a run took as long, and tests two to four times as long, near their limits. */
const AT_ONCE_MAX = 4;
/** What the process of a file takes with its browser and engines, at most. */
const BYTES_EACH = 3e9;
const atOnce = Math.max(1, Math.min(AT_ONCE_MAX, Math.floor(totalmem() / BYTES_EACH)));

/** Shows what `bun test` prints while it runs. */
async function run(args: string[]): Promise<Printed & { code: number }> {
  const child = spawn(process.execPath, ["test", `--timeout=${TIMEOUT_MS}`, ...args], {
    env: { ...process.env, BUN_JSC_useFTLJIT: "0" },
    stdio: ["inherit", "inherit", "pipe"],
  });
  const ended = once(child, "close");
  const { printed, read } = openReading();
  for await (const line of createInterface({ input: child.stderr! })) {
    process.stderr.write(`${line}\n`);
    read(line);
  }
  const [code] = await ended;
  return { ...printed, code: code ?? 1 };
}

const first = await run([`--parallel=${atOnce}`, "--no-isolate", ...process.argv.slice(2)]);
const files = [...first.failed.keys()];
if (first.code === 0 || !first.complete || files.length === 0 || files.length > FILES_MAX)
  process.exit(first.code);

process.stderr.write(`\nOnce more, one after another: ${files.join(", ")}\n\n`);
const second = await run(files.map((file) => `./${file}`));
const { pass, skip, fail } = first.counts;
const stillFailed = second.code === 0 ? 0 : Math.max(second.counts.fail, 1);
process.stderr.write("\n");
for (const [file, names] of first.failed)
  for (const name of names)
    if (!second.failed.get(file)?.has(name)) process.stderr.write(`(pass) ${name} (attempt 2)\n`);
process.stderr.write(` ${pass + fail - stillFailed} pass\n ${skip} skip\n ${stillFailed} fail\n`);
process.exit(second.code);

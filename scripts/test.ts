/**
 * `npm test`: all tests, or those of the arguments, up to four files at a time; then the files in which a test failed once
 * more, one after another from their start. A test that passes only then is named. Closes with the counts of both runs together.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { totalmem } from "node:os";
import { relative } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";

const FILES_MAX = 20; // more did not fail by chance
const TIMEOUT_MS = 120_000;
/** With six at a time on two processors, a run took as long, and tests two to four times as long, near their limits. */
const AT_ONCE_MAX = 4;
/** What the process of a file takes with its browser and engines, at most. */
const BYTES_EACH = 3e9;
const atOnce = Math.max(1, Math.min(AT_ONCE_MAX, Math.floor(totalmem() / BYTES_EACH)));

/** `failed`: names of tests, by file. `complete`: no process of the run ended early, and the file of each failure is known. */
type Run = { code: number; counts: Counts; failed: Map<string, Set<string>>; complete: boolean };
/**
 * An error outside of tests, between two rules. Bun prints it below the name of any file that runs at the same time, so that its own
 * is known by the stack. One whose stack names no test file, as of a connection that is reset, counts to the file above it.
 */
type Unhandled = { title: string; rules: number; file: string | null };
type Counts = { pass: number; skip: number; fail: number };

/** Shows what `bun test` prints while it runs. */
async function run(args: string[]): Promise<Run> {
  const child = spawn(process.execPath, ["test", `--timeout=${TIMEOUT_MS}`, ...args], {
    env: { ...process.env, BUN_JSC_useFTLJIT: "0" },
    stdio: ["inherit", "inherit", "pipe"],
  });
  const ended = once(child, "close");
  const result: Run = { code: 1, counts: { pass: 0, skip: 0, fail: 0 }, failed: new Map(), complete: true };
  const noteFailed = (file: string, name: string) =>
    result.failed.set(file, (result.failed.get(file) ?? new Set()).add(name));
  let file: string | null = null;
  let unhandled: Unhandled | null = null;
  for await (const line of createInterface({ input: child.stderr! })) {
    process.stderr.write(`${line}\n`);
    const plain = Bun.stripANSI(line);
    if (/^\d+ tests? (skipped|failed):$/.test(plain)) file = null; // names what was printed before
    file = /^(\S+\.test\.tsx?):$/.exec(plain)?.[1] ?? file;
    const name = /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/.exec(plain)?.[1];
    if (name && file) noteFailed(file, name);
    const title = /^# (Unhandled error.*)$/.exec(plain)?.[1];
    if (title) unhandled = { title, rules: 0, file: null };
    if (unhandled) {
      unhandled.file ??= /(\/\S+\.test\.tsx?):\d+/.exec(plain)?.[1] ?? null;
      if (/^-{10,}$/.test(plain)) unhandled.rules++;
      if (unhandled.rules === 2) {
        const of = unhandled.file ? relative(process.cwd(), unhandled.file) : file;
        if (of) noteFailed(of, unhandled.title);
        else result.complete = false;
        unhandled = null;
      }
    }
    if (plain.startsWith("error: a test worker process crashed")) result.complete = false;
    const [, count, kind] = /^ *(\d+) (pass|skip|fail)$/.exec(plain) ?? [];
    if (kind) result.counts[kind as keyof Counts] = Number(count);
  }
  result.code = (await ended)[0] ?? 1;
  return result;
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

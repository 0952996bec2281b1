/** Reads what `bun test` prints: how many tests passed, and which failed in which file. */
import { relative } from "node:path";
import process from "node:process";

type Counts = { pass: number; skip: number; fail: number };

/** `failed`: names of tests, by file. `complete`: no process of the run ended early, and the file of each failure is known. */
export type Printed = { counts: Counts; failed: Map<string, Set<string>>; complete: boolean };

/**
 * An error outside of tests, between two rules. Bun prints it below the name of any file that runs at the same time, so that its own
 * is known by the stack. One whose stack names no test file, as of a connection that is reset, counts to the file above it.
 */
type Unhandled = { title: string; rules: number; file: string | null };

/** `read` is called with each line; `printed` is what was read. */
export function openReading(): { printed: Printed; read: (line: string) => void } {
  const printed: Printed = { counts: { pass: 0, skip: 0, fail: 0 }, failed: new Map(), complete: true };
  let file: string | null = null;
  let unhandled: Unhandled | null = null;
  const noteFailed = (of: string, name: string) =>
    printed.failed.set(of, (printed.failed.get(of) ?? new Set()).add(name));

  const readUnhandled = (plain: string) => {
    const title = /^# (Unhandled error.*)$/.exec(plain)?.[1];
    if (title) unhandled = { title, rules: 0, file: null };
    if (!unhandled) return;
    unhandled.file ??= /(\/\S+\.test\.tsx?):\d+/.exec(plain)?.[1] ?? null;
    if (/^-{10,}$/.test(plain)) unhandled.rules++;
    if (unhandled.rules < 2) return;
    const of = unhandled.file ? relative(process.cwd(), unhandled.file) : file;
    if (of) noteFailed(of, unhandled.title);
    else printed.complete = false;
    unhandled = null;
  };

  return {
    printed,
    read(line) {
      const plain = Bun.stripANSI(line);
      if (/^\d+ tests? (skipped|failed):$/.test(plain)) file = null; // names what was printed before
      file = /^(\S+\.test\.tsx?):$/.exec(plain)?.[1] ?? file;
      const name = /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/.exec(plain)?.[1];
      if (name && file) noteFailed(file, name);
      readUnhandled(plain);
      if (plain.startsWith("error: a test worker process crashed")) printed.complete = false;
      const [, count, kind] = /^ *(\d+) (pass|skip|fail)$/.exec(plain) ?? [];
      if (kind) printed.counts[kind as keyof Counts] = Number(count);
    },
  };
}

/** Promise: a built executable needs the C library and nothing else: no network, no rights, no file of its own to write. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inNamespaces, makeRoot, rootProblem } from "./empty-root.ts";
import { builtExecutable, FLAVOURS } from "./executables.ts";

const TIMEOUT_MS = 300_000;

for (const flavour of FLAVOURS) {
  const executable = builtExecutable(flavour);
  const problem = executable === null ? 'nothing was built into dist/ by "npm run build"' : rootProblem();
  const skipped = problem === "" ? "" : ` (skipped: ${problem})`;

  test.skipIf(problem !== "")(
    `the executable ${flavour} works in an empty root, read-only, as another user${skipped}`,
    async () => {
      const root = mkdtempSync(join(tmpdir(), "loquat-root-"));
      try {
        const { hasSphinx } = makeRoot(root, executable!);
        const child = Bun.spawn(
          [...inNamespaces(new URL("scenario.ts", import.meta.url)), flavour, hasSphinx ? "yes" : "no"],
          {
            env: { ...Bun.env, ROOT: root },
            stderr: "pipe",
          },
        );
        const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
        if (out === "") throw new Error(err);
        const problems = JSON.parse(out) as Record<string, string | null>;
        expect(Object.keys(problems)).toContain("runs its commands");
        expect(Object.entries(problems).filter(([, each]) => each !== null)).toEqual([]);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    },
    TIMEOUT_MS,
  );
}

/** Promise: `npm test` runs a file in which a test failed once more, names what passes only then, and hides no failure. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SCRIPT = join(import.meta.dir, "../scripts/test.ts");

/** What a run over these files prints and ends with. */
async function runTests(files: Record<string, string>): Promise<{ code: number; lines: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-tests-"));
  for (const [name, content] of Object.entries(files))
    writeFileSync(
      join(folder, `${name}.test.ts`),
      `import { expect, test } from "bun:test";\nimport { existsSync, writeFileSync } from "node:fs";\n${content}`,
    );
  const child = Bun.spawn([process.execPath, SCRIPT], { cwd: folder, stdout: "ignore", stderr: "pipe" });
  const output = await new Response(child.stderr).text();
  const code = await child.exited;
  rmSync(folder, { recursive: true });
  return { code, lines: output.split("\n").map((line) => line.trim()) };
}

const PASSES = 'test("good", () => {});';
const PASSES_LATER = `const again = existsSync("seen");
writeFileSync("seen", "");
test("steps", () => { expect(again).toBe(true); });
test("more steps", () => { expect(again).toBe(true); });`;

test("a file that fails once is named, and counts as passed", async () => {
  const { code, lines } = await runTests({ good: PASSES, unstable: PASSES_LATER });
  expect(code).toBe(0);
  expect(lines).toContain("(pass) steps (attempt 2)");
  expect(lines).toContain("(pass) more steps (attempt 2)");
  expect(lines.slice(-4)).toEqual(["3 pass", "0 skip", "0 fail", ""]);
});

test.each([
  ["a test that fails twice", 'test("bad", () => { expect(1).toBe(2); });'],
  ["a file that cannot be read", 'throw new Error("broken");'],
  ["a test whose process ends", 'test("ends", () => { process.abort(); });'],
])("%s fails the run", async (_name, content) => {
  const { code, lines } = await runTests({ bad: content, unstable: PASSES_LATER });
  expect(code).not.toBe(0);
  expect(lines.filter((line) => /^[1-9]\d* fail$/.test(line)).length).toBeGreaterThan(0);
});

test("a file that cannot be read is known by its error, whatever Bun prints above it", async () => {
  for (let turn = 0; turn < 5; turn++) {
    const { lines } = await runTests({ bad: 'throw new Error("broken");', unstable: PASSES_LATER });
    const again = lines.find((line) => line.startsWith("Once more"));
    expect(again?.match(/\w+\.test\.ts/g)?.sort()).toEqual(["bad.test.ts", "unstable.test.ts"]);
  }
});

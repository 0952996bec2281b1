/** Promise: the manual page has every command, option and variable, and is correct for the program that shows it. */
import { expect, test } from "bun:test";
import { version } from "../../../package.json";
import { commandNodes } from "../../../src/cli/completion/tree.ts";
import { manPage } from "../../../src/cli/installation/man.ts";
import { wholeProgram } from "../../../src/cli/program.ts";
import { VARIABLES } from "../../../src/config/config.ts";

const nodes = commandNodes(await wholeProgram());
const page = manPage(nodes, VARIABLES, version);

test("every command, option and variable is in the manual page", () => {
  const plain = page.replaceAll("\\-", "-");
  for (const { path, options } of nodes.filter((node) => node.path !== "help")) {
    expect(plain).toContain(path);
    for (const { flags } of options) expect(plain).toContain(`.B ${flags}\n`);
  }
  for (const name of Object.keys(VARIABLES)) expect(plain).toContain(`.B ${name}\n`);
});

test("a text that looks like a request, or has a backslash, is shown as it is", () => {
  const [program] = nodes;
  const odd = { ...program!, details: ".SH no heading\n'quoted'\nC:\\data" };
  expect(manPage([odd], {}, "1.0.0")).toContain("\n\\&.SH no heading\n\\&'quoted'\nC:\\edata\n");
});

const groff = Bun.which("groff");
test.skipIf(groff === null)(
  `groff formats it without a warning${groff === null ? " (skipped: it is not installed)" : ""}`,
  async () => {
    const child = Bun.spawn(["groff", "-man", "-Tutf8", "-ww"], {
      stdin: Buffer.from(page),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(err).toBe("");
    expect(out).toContain("Start the server.");
  },
);

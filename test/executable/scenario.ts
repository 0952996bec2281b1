/**
 * Runs in namespaces of its own: starts the packed program in an empty root, checks it, and prints what went wrong.
 *
 *   ROOT=<folder> bun scenario.ts <full|apache> <yes|no: PocketSphinx>     prints { check: problem or null } as JSON
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checksOf, type Target } from "./checks.ts";
import { inside } from "./empty-root.ts";

const root = Bun.env.ROOT!;
const [flavour, sphinx] = process.argv.slice(2);
const spawn = (args: readonly string[]) => {
  const { cmd, env } = inside(root, args);
  return Bun.spawn(cmd, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
};

const server = spawn(["serve"]);
let url = "";
let printed = "";
for await (const chunk of server.stdout) {
  printed += Buffer.from(chunk).toString();
  url = /listens on (https?:\/\/[^\s/]+)/.exec(printed)?.[1] ?? "";
  if (url !== "") break;
}
if (url === "") throw new Error(`the server ended: ${printed}${await server.stderr.text()}`);

const target: Target = {
  url,
  key: readFileSync(join(root, "srv/data/first-key"), "utf8").trim(),
  isFull: flavour === "full",
  hasSphinx: sphinx === "yes",
  async run(...args) {
    const child = spawn(args);
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { code, out, err };
  },
};
const problems: Record<string, string | null> = {};
for (const [name, check] of Object.entries(checksOf(target)))
  problems[name] = await check(target).then(
    () => null,
    (error: Error) => error.message,
  );
server.kill("SIGTERM");
problems["ends by a signal"] = (await server.exited) === 0 ? null : `exit code ${server.exitCode}`;
process.stdout.write(JSON.stringify(problems));
process.exit(0);

/** Promise: `./loquat` runs from anywhere and through links, prepares a checkout once, and passes everything on. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MAIN =
  "console.log(JSON.stringify({ cwd: process.cwd(), args: process.argv.slice(2), port: process.env.PORT ?? null })); process.exit(7);";
const SETUP = `import { writeFileSync, mkdirSync } from "node:fs";
mkdirSync(new URL("node_modules", import.meta.url), { recursive: true });
writeFileSync(new URL("node_modules/.loquat-setup", import.meta.url), "");
process.stderr.write("prepared\\n");`;

let folder: string;
let checkout: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "loquat-launcher-")));
  checkout = join(folder, "checkout");
  install(checkout);
  mkdirSync(join(folder, "elsewhere"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The launcher as it is, with a command that reports how it was called. */
function install(root: string): void {
  mkdirSync(join(root, "src"), { recursive: true });
  mkdirSync(join(root, "node_modules", "bun", "bin"), { recursive: true });
  copyFileSync(join(ROOT, "loquat"), join(root, "loquat"));
  symlinkSync(process.execPath, join(root, "node_modules", "bun", "bin", "bun.exe"));
  for (const name of ["bunfig.toml", "tsconfig.json"]) copyFileSync(join(ROOT, name), join(root, name));
  writeFileSync(join(root, "src", "main.ts"), MAIN);
  writeFileSync(join(root, "setup.mjs"), SETUP);
  for (const name of ["package.json", "package-lock.json"]) writeFileSync(join(root, name), "{}");
}

async function run(launcher: string, args: string[] = [], env: NodeJS.ProcessEnv = process.env) {
  const cwd = join(folder, "elsewhere");
  const child = Bun.spawn([launcher, ...args], { cwd, env, stderr: "pipe" });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { called: JSON.parse(out), err, code };
}

test("arguments, the working directory and the exit code are the command's", async () => {
  const { called, code } = await run(join(checkout, "loquat"), ["speak", "two words", "", "--", "*"]);
  expect(called).toMatchObject({
    cwd: join(folder, "elsewhere"),
    args: ["speak", "two words", "", "--", "*"],
  });
  expect(code).toBe(7);
});

test("a checkout is prepared on first use, and again when its packages change", async () => {
  const launcher = join(checkout, "loquat");
  expect((await run(launcher)).err).toBe("prepared\n");
  const past = new Date(Date.now() - 60_000);
  for (const name of ["package.json", "package-lock.json"]) utimesSync(join(checkout, name), past, past);
  expect((await run(launcher)).err).toBe("");
  const future = new Date(Date.now() + 60_000);
  utimesSync(join(checkout, "package-lock.json"), future, future);
  expect((await run(launcher)).err).toBe("prepared\n");
});

test("the folder it is run in can neither run code nor change settings", async () => {
  const elsewhere = join(folder, "elsewhere");
  writeFileSync(join(elsewhere, "bunfig.toml"), 'preload = ["./preloaded.ts"]');
  writeFileSync(join(elsewhere, "preloaded.ts"), 'console.log("preloaded");');
  writeFileSync(join(elsewhere, ".env"), "PORT=1");
  writeFileSync(join(elsewhere, "tsconfig.json"), '{"compilerOptions":{"paths":{"*":["./preloaded.ts"]}}}');
  expect((await run(join(checkout, "loquat"))).called.port).toBeNull();
  rmSync(join(checkout, "node_modules", ".loquat-setup"));
  const standIn = join(folder, "bun-node"); // `bun run` puts such a folder on the PATH
  mkdirSync(standIn);
  symlinkSync(process.execPath, join(standIn, "node"));
  const env = { ...process.env, PATH: `${standIn}:${process.env.PATH}` };
  expect(await run(join(checkout, "loquat"), [], env)).toMatchObject({ called: { port: null }, code: 7 });
});

test("it is found through links, as npm link makes them", async () => {
  symlinkSync(join("..", "checkout"), join(folder, "elsewhere", "package"));
  symlinkSync(join("package", "loquat"), join(folder, "elsewhere", "linked"));
  symlinkSync(join(folder, "elsewhere", "linked"), join(folder, "again"));
  expect((await run(join(folder, "again"), ["-v"])).called.args).toEqual(["-v"]);
});

test("as an installed package it uses the Bun beside it, and installs nothing", async () => {
  const packages = join(folder, "node_modules");
  install(join(packages, "loquat"));
  mkdirSync(join(packages, "bun", "bin"), { recursive: true });
  rmSync(join(packages, "loquat", "node_modules"), { recursive: true });
  symlinkSync(process.execPath, join(packages, "bun", "bin", "bun.exe"));
  expect(await run(join(packages, "loquat", "loquat"))).toMatchObject({ err: "", code: 7 });
  expect(existsSync(join(packages, "loquat", "node_modules"))).toBe(false);
});

test("package.json names it as the command", async () => {
  const { bin } = await Bun.file(join(ROOT, "package.json")).json();
  expect(bin).toEqual({ loquat: "loquat" });
});

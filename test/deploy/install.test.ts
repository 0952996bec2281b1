/** Promise: the install script puts the executable of this machine in its place, or changes nothing and says why. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { read } from "./files.ts";

const PROGRAM = "#!/bin/sh\necho loquat\n";
const root = mkdtempSync(join(tmpdir(), "loquat-install-"));
const bin = join(root, "bin");
const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");

let files: Record<string, string | undefined>;
const release = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const text = files[new URL(request.url).pathname.slice(1)];
    return text === undefined ? new Response("none", { status: 404 }) : new Response(text);
  },
});
afterAll(() => {
  release.stop(true);
  rmSync(root, { recursive: true });
});
beforeEach(() => {
  rmSync(bin, { recursive: true, force: true });
  const names = ["linux-x64", "linux-arm64", "darwin-arm64"].flatMap((platform) =>
    ["", "apache-"].map((flavour) => `loquat-${flavour}${platform}`),
  );
  files = Object.fromEntries(names.map((name) => [name, `${PROGRAM}# ${name}\n`]));
  files.SHA256SUMS = names.map((name) => `${sha256(files[name]!)}  ${name}\n`).join("");
});

/** On a machine of another kind: `uname` says so. */
async function install(environment: Record<string, string> = {}, machine?: { s: string; m: string }) {
  const path = [Bun.env.PATH!];
  if (machine) {
    const tools = join(root, "tools");
    mkdirSync(tools, { recursive: true });
    const uname = `#!/bin/sh\n[ "$1" = -s ] && echo ${machine.s} || echo ${machine.m}\n`;
    writeFileSync(join(tools, "uname"), uname);
    chmodSync(join(tools, "uname"), 0o755);
    path.unshift(tools);
  }
  const child = Bun.spawn(["sh"], {
    stdin: Buffer.from(read("deploy/install.sh").replace("@RELEASE@", release.url.origin)),
    env: { PATH: path.join(":"), HOME: root, LOQUAT_BIN: bin, ...environment },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [said, problem] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, said, problem };
}

const LINUX = { s: "Linux", m: "x86_64" };

test.each([
  [LINUX, {}, "loquat-linux-x64"],
  [{ s: "Linux", m: "aarch64" }, {}, "loquat-linux-arm64"],
  [{ s: "Darwin", m: "arm64" }, { LOQUAT_FLAVOUR: "apache" }, "loquat-apache-darwin-arm64"],
])("on %j with %j it installs %s, over an earlier one", async (machine, environment, name) => {
  for (const _ of ["first", "again"]) {
    const { code, said, problem } = await install(environment, machine);
    expect({ code, problem }).toEqual({ code: 0, problem: "" });
    expect(said).toContain(`${bin}/loquat serve`);
  }
  expect(readdirSync(bin)).toEqual(["loquat"]);
  expect(readFileSync(join(bin, "loquat"), "utf8")).toContain(name);
  expect(Bun.spawnSync([join(bin, "loquat")]).stdout.toString()).toBe("loquat\n");
});

test.each<[string, Record<string, string | undefined>, RegExp]>([
  ["another file than was stated", { "loquat-linux-x64": "else" }, /hash of loquat-linux-x64/],
  ["no file", { "loquat-linux-x64": undefined }, /could not be downloaded/],
  ["no list of hashes", { SHA256SUMS: undefined }, /SHA256SUMS could not be downloaded/],
  ["no hash of the file", { SHA256SUMS: "" }, /the release has no loquat-linux-x64/],
])("where there is %s it changes nothing", async (_what, damaged, reason) => {
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "loquat"), "earlier");
  Object.assign(files, damaged);
  const { code, problem } = await install({}, LINUX);
  expect(code).toBe(1);
  expect(problem).toMatch(reason);
  expect(readdirSync(bin)).toEqual(["loquat"]);
  expect(readFileSync(join(bin, "loquat"), "utf8")).toBe("earlier");
});

test.each([
  [{ s: "Linux", m: "riscv64" }, {}, /processors of the kind riscv64/],
  [{ s: "Darwin", m: "x86_64" }, {}, /no executable for Darwin on x64/],
  [{ s: "FreeBSD", m: "amd64" }, {}, /no executable for FreeBSD/],
  [LINUX, { LOQUAT_FLAVOUR: "small" }, /full or apache/],
])("on %j with %j it refuses", async (machine, environment, reason) => {
  const { code, problem } = await install(environment, machine);
  expect(code).toBe(1);
  expect(problem).toMatch(reason);
});

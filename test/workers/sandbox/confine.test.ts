/** Promise: an attacker who controls a process that decodes or speaks can reach nothing else. */
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { openProcessPool } from "../../../src/engine/process-pool.ts";
import { type Confinement, LAYERS, type Layer } from "../../../workers/sandbox/confine.ts";
import { until } from "../../until.ts";

const NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const ATTEMPTS = fileURLToPath(new URL("attempts.ts", import.meta.url));
const linux = process.platform === "linux";
const root = linux && process.getuid!() === 0;
const mayBeNobody =
  root && Bun.which("setpriv") !== null && Bun.spawnSync([...NOBODY, "test", "-r", ATTEMPTS]).success;
const yama = "/proc/sys/kernel/yama/ptrace_scope";
const strict = existsSync(yama) && readFileSync(yama, "utf8").trim() !== "0";
const needsLinux = linux && !strict ? "" : " (skipped: needs Linux, where processes may trace each other)";

/** As whom the server runs. */
const USERS: [name: string, as: string[]][] = [
  [root ? "root" : "an ordinary user", []],
  ...(mayBeNobody ? [["an ordinary user", NOBODY] as [string, string[]]] : []),
];

const folder = mkdtempSync(join(tmpdir(), "loquat-confine-"));
chmodSync(folder, 0o777);
const listener = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
afterAll(async () => {
  await listener.stop(true);
  rmSync(folder, { recursive: true });
});

type Found = { held: Confinement; done: string[]; refused: string[] };

/** Against a process of the same user, which stands for the server. */
async function attempt(layers: readonly Layer[], as: string[]): Promise<Found> {
  const victim = Bun.spawn([...as, "sleep", "60"]);
  try {
    await until(() => readFileSync(`/proc/${victim.pid}/cmdline`, "latin1").startsWith("sleep"));
    return await attack(victim.pid, layers, as);
  } finally {
    victim.kill();
    await victim.exited;
  }
}

async function attack(pid: number, layers: readonly Layer[], as: string[]): Promise<Found> {
  const words = [layers.join(","), String(pid), String(listener.port), folder];
  const child = Bun.spawn([...as, process.execPath, ATTEMPTS, ...words], { env: {}, stderr: "ignore" });
  const [head = "", ...lines] = (await child.stdout.text()).trim().split("\n");
  const named = (result: string) =>
    lines.filter((line) => line.endsWith(`: ${result}`)).map((line) => line.split(":")[0]!);
  return { held: JSON.parse(head), done: named("done"), refused: named("refused") };
}

/** What each layer refuses alone. */
const REFUSES: Record<Layer, string[]> = {
  user: ["signal another", "trace another", "read another's memory", "write another's memory", "become root"],
  untraced: ["be traced"],
  landlock: [
    "read a file",
    "write a file",
    "trace another",
    "read another's memory",
    "write another's memory",
  ],
  limits: ["read a file", "make a socket", "make a descriptor", "take memory"],
  seccomp: [
    "read a file",
    "write a file",
    "make a socket",
    "connect a socket",
    "make a descriptor",
    "signal another",
    "trace another",
    "read another's memory",
    "write another's memory",
    "limit another",
    "fork a process",
    "execute a program",
  ],
};

describe.each(USERS)("run as %s,", (name, as) => {
  const layersHere = LAYERS.filter((layer) => layer !== "user" || name === "root");

  test.skipIf(needsLinux !== "")(`every attack works without confinement${needsLinux}`, async () => {
    const { refused } = await attempt([], as);
    expect(refused).toEqual(name === "root" ? [] : ["become root"]);
  });

  test.skipIf(needsLinux !== "").each(layersHere.map((layer) => [layer]))(
    `the layer %s alone prevents its attacks${needsLinux}`,
    async (layer) => {
      const { held, refused } = await attempt([layer], as);
      expect(held[layer]).toBeString();
      const abi = Number(/ABI (\d+)/.exec(held.landlock ?? "")?.[1] ?? 0);
      const newer = [...(abi >= 4 ? ["connect a socket"] : []), ...(abi >= 7 ? ["signal another"] : [])];
      expect(refused).toEqual(expect.arrayContaining([...REFUSES[layer], ...newer]));
    },
  );

  test.skipIf(needsLinux !== "")(`all layers together prevent every attack${needsLinux}`, async () => {
    const { held, done } = await attempt(LAYERS, as);
    expect(done).toEqual([]);
    expect(Object.keys(held).filter((layer) => held[layer as Layer] === null)).toEqual(
      name === "root" ? [] : ["user"],
    );
  });
});

const asNobody = mayBeNobody ? NOBODY : [];
const needsUser = linux && (!root || mayBeNobody) ? "" : " (skipped: needs Linux and an ordinary user)";

test.skipIf(needsUser !== "")(
  `no other process of the same user can read a server's memory${needsUser}`,
  async () => {
    const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));
    const server = Bun.spawn([...asNobody, process.execPath, main, "serve"], {
      cwd: folder,
      env: { PORT: "0", LOQUAT_DATA: join(folder, "data") },
      stderr: "ignore",
    });
    try {
      let printed = "";
      for await (const chunk of server.stdout) {
        printed += Buffer.from(chunk).toString();
        if (printed.includes("listens on")) break;
      }
      const { done } = await attack(server.pid, [], asNobody);
      expect(done).toContain("signal another"); // it is there, and of the same user
      expect(done.filter((name) => /trace another|memory$/.test(name))).toEqual(["take memory"]);
    } finally {
      server.kill("SIGKILL");
      await server.exited;
    }
  },
);

const speaks = installedFamilies().has("espeak");
const needsEspeak = speaks && linux ? "" : " (skipped: needs eSpeak NG, and Linux)";

test.skipIf(needsEspeak !== "").each([
  ["tts/espeak/espeak", { text: "Hallo", speaker: "de", language: "de", speed: 1, instructions: "" }],
  ["g2p/g2p", { text: "Hallo", voice: "de", alphabet: "ipa" }],
])(`the process %s works confined${needsEspeak}`, async (name, task) => {
  const script = fileURLToPath(new URL(`../../../workers/${name}.ts`, import.meta.url));
  await using runner = openProcessPool(pathToFileURL(script), { size: 1 });
  expect((await runner.run<ArrayLike<unknown>>(task)).length).toBeGreaterThan(3);
  const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && commandOf(name).includes(script))!;
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  expect(status).toMatch(/NoNewPrivs:\s*1\n/);
  expect(status).toMatch(/Seccomp:\s*2\n/);
  if (root) expect(status).toMatch(/Uid:(\s+[1-9]\d{4,}){4}\n/);
  const limits = readFileSync(`/proc/${pid}/limits`, "latin1");
  for (const bound of [/Max open files +0 +0/, /Max address space +\d+/, /Max data size +\d+/])
    expect(limits).toMatch(bound);
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return ""; // it ended since
  }
}

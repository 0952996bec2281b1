/**
 * Prepares a fresh clone: npm packages, the Bun binary, system packages. Runs before every start, test and check, so it
 * usually only compares a stamp. Plain JavaScript, for Node.js or Bun.
 *
 *   stamp current? ──yes──> done
 *         no ──> npm ci (or bun install) ──> Bun's binary ──> system packages (Debian, root) ──> stamp
 *
 * Before a start and before tests, which start many servers, it also makes the bundle where sources have changed: --bundle.
 *
 * Writes to standard error only: standard output belongs to the command that runs next.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { currentBundle } from "./src/source-bundle.mjs";

const root = dirname(fileURLToPath(import.meta.url));
const modules = join(root, "node_modules");
const bunPath = join(modules, "bun", "bin", "bun.exe");
const stampPath = join(modules, ".loquat-setup");
const lockPath = join(root, ".loquat-setup-lock"); // "npm ci" removes node_modules
/** Development packages, once installed, stay. */
const dev = process.argv.includes("--dev") || stampOf()?.dev === true;

/** System packages, their purpose, and a file that exists once they are installed. All but the first are for tests only. */
const SPHINX = {
  what: "English transcription",
  names: ["libpocketsphinx3", "pocketsphinx-en-us"],
  marker: "/usr/share/pocketsphinx/model/en-us/en-us.lm.bin",
};
const CHROMIUM = {
  what: "tests in a browser",
  names: ["chromium-headless-shell"],
  marker: "/usr/bin/chromium-headless-shell",
};
const CLOCKS = {
  what: "a test of clocks that are apart",
  names: ["libfaketime"],
  marker: `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/faketime/libfaketimeMT.so.1`,
};
const LOCK_STALE_MS = 10 * 60_000;

if (!isReady() && !alone(setUp)) fail(`${root} cannot be written.`);
if (process.argv.includes("--bundle") && currentBundle(root) === null) alone(bundle);

/** One process at a time. False where the checkout cannot be written. */
function alone(work) {
  if (!lock()) return false;
  try {
    work();
  } finally {
    rmSync(lockPath, { force: true });
  }
  return true;
}

function setUp() {
  if (isReady()) return; // another process did it while this one waited for the lock
  rmSync(stampPath, { force: true });
  installPackages();
  repairBun();
  installSystemPackages(SPHINX);
  if (dev) for (const packages of [CHROMIUM, CLOCKS]) installSystemPackages(packages);
  writeFileSync(stampPath, JSON.stringify({ lock: lockHash(), dev }));
}

/** Without it, as in a checkout that cannot be written, a start takes the sources. */
function bundle() {
  if (currentBundle(root) === null) run(bunPath, [join(root, "scripts", "bundle.ts")]);
}

/** An installation with development packages is also sufficient for a start. */
function isReady() {
  const stamp = stampOf();
  return stamp !== null && stamp.lock === lockHash() && (stamp.dev || !dev);
}

/** What the last set-up installed; null before the first. */
function stampOf() {
  try {
    return JSON.parse(readFileSync(stampPath, "utf8"));
  } catch {
    return null;
  }
}

function lockHash() {
  const lockFile = readFileSync(join(root, "package-lock.json"));
  return createHash("sha256").update(lockFile).digest("hex");
}

/** A stale lock is removed. */
function lock() {
  for (;;) {
    try {
      writeFileSync(lockPath, String(process.pid), { flag: "wx" });
      return true;
    } catch (error) {
      if (error.code !== "EEXIST") return false;
      const age = Date.now() - (statSync(lockPath, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > LOCK_STALE_MS) rmSync(lockPath, { force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
}

/** Install scripts are disabled: the packages contain everything, and nothing else is downloaded. */
function installPackages() {
  if (has("npm")) {
    report(`installing packages with npm${dev ? ", development ones too" : ""}`);
    must("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", ...(dev ? [] : ["--omit=dev"])]);
  } else if (has("bun")) {
    report(`installing packages with bun${dev ? ", development ones too" : ""}`);
    must("bun", ["install", "--ignore-scripts", ...(dev ? [] : ["--production"])]);
  } else {
    fail("neither npm nor bun is on the PATH. Install Node.js (with npm) or Bun, then run this again.");
  }
}

/** Without its install script the package `bun` contains a placeholder instead of the binary. */
function repairBun() {
  if ((statSync(bunPath, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000) return;
  if (process.versions.bun) {
    rmSync(bunPath, { force: true });
    try {
      linkSync(process.execPath, bunPath);
    } catch {
      writeFileSync(bunPath, readFileSync(process.execPath), { mode: 0o755 });
    }
  } else {
    must(process.execPath, [join(root, "node_modules", "bun", "install.js")]);
  }
}

/** Optional: the server starts without PocketSphinx, and tests that need Chromium are skipped without it. */
function installSystemPackages({ what, names, marker }) {
  if (existsSync(marker) || process.env.LOQUAT_NO_SYSTEM_PACKAGES === "1") return;
  const command = `apt-get install -y --no-install-recommends ${names.join(" ")}`;
  if (!has("apt-get") || process.getuid?.() !== 0) {
    report(`${what} needs ${names.join(" and ")}. On Debian or Ubuntu, install with: sudo ${command}`);
    return;
  }
  report(
    `installing system packages for ${what}: ${names.join(", ")} (LOQUAT_NO_SYSTEM_PACKAGES=1 opts out)`,
  );
  const install = () => run("apt-get", ["install", "-y", "--no-install-recommends", ...names]);
  if (!install()) run("apt-get", ["update"]) && install();
  if (!existsSync(marker)) report(`installation failed; ${what} is unavailable until you run: ${command}`);
}

function has(command) {
  return spawnSync(command, ["--version"], { stdio: "ignore" }).error === undefined;
}

function run(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", ONNXRUNTIME_NODE_INSTALL: "skip" };
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    env,
    encoding: "utf8",
    stdio: "pipe",
  });
  if (status !== 0) process.stderr.write(`${`${stdout ?? ""}${stderr ?? ""}`.slice(0, 2000)}\n`);
  return status === 0;
}

function must(command, args) {
  if (run(command, args)) return;
  fail(
    `"${command} ${args.join(" ")}" failed. Check the network and the package registry, then run this again.`,
  );
}

function report(text) {
  process.stderr.write(`loquat: ${text}\n`);
}

function fail(text) {
  report(text);
  rmSync(lockPath, { force: true });
  process.exit(1);
}

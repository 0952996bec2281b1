/** Promise: files that are published in an archive are pulled, moved and used as any others, and a wrong one installs nothing. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { readConfig } from "../../../src/config/config.ts";
import { parsePackage, readPackages } from "../../../src/models/packages/package.ts";
import { pull } from "../../../src/models/pull/pull.ts";
import { exportPackage, importBundle } from "../../../src/models/store/bundle.ts";
import { openModelStore } from "../../../src/models/store/model-store.ts";
import { remove } from "../../../src/models/store/store-writer.ts";
import { installedFolder } from "../../../src/natives/store-layout.ts";
import { hasPackage } from "../../../src/resources.ts";
import { UNTRIED } from "../../../testing/packages/model-store.ts";
import { openHub } from "./hub.ts";
import { optionsOf, packageAt, sha256, storeOf } from "./tiny-package.ts";

async function archiveOf(members: Record<string, string | Buffer>): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(members)) tar.entry({ name: `package/${name}` }, content);
  tar.finalize();
  return gzipSync(Buffer.concat((await Array.fromAsync(tar)) as Buffer[]), { level: 1 });
}

const FILES = { "tool.js": "export {};", "tool.data": "data of the tool", "README.md": "not installed" };
const ARCHIVE = await archiveOf(FILES);

type Change = { archive?: object; sha256?: string; platform?: string };

function fileOf(path: "tool.js" | "tool.data", { archive, ...change }: Change = {}) {
  const whole = {
    path: "tool-1.0.tgz",
    member: `package/${path}`,
    bytes: ARCHIVE.length,
    sha256: sha256(ARCHIVE),
  };
  const content = FILES[path];
  return {
    ...{ role: path, path, bytes: content.length, sha256: sha256(content) },
    archive: { ...whole, ...archive },
    ...change,
  };
}

const programAt = (url: string, files = [fileOf("tool.js"), fileOf("tool.data")]) =>
  packageAt(url, { family: "program", sources: [`${url}/m/`], files } as never);

describe("a pull of files in an archive", () => {
  test("downloads it once, installs its members, and keeps nothing else", async () => {
    using hub = openHub({ "m/tool-1.0.tgz": ARCHIVE });
    const weights = storeOf();
    const reported: { bytes: number; total: number }[] = [];
    const report = (progress: { bytes: number; total: number }) => void reported.push({ ...progress });
    await pull(programAt(hub.url), optionsOf(weights, { report }));
    const { folder } = openModelStore(weights).installed("little")!;
    expect(installedFolder(weights, "little")).toBe(folder);
    expect(readdirSync(folder).sort()).toEqual(["tool.data", "tool.js"]);
    expect(readFileSync(join(folder, "tool.data"), "utf8")).toBe(FILES["tool.data"]);
    expect(readdirSync(join(weights, "incoming"))).toEqual([]);
    expect(reported.at(-1)).toEqual({ bytes: ARCHIVE.length, total: ARCHIVE.length });
    hub.asked.length = 0;
    await pull(programAt(hub.url), optionsOf(weights));
    expect(hub.asked).toEqual([]);
    expect(remove(weights, "little")).toBe(true);
    expect(installedFolder(weights, "little")).toBeNull();
  });

  test("goes on with the next source where the first one fails", async () => {
    using hub = openHub({ "n/tool-1.0.tgz": ARCHIVE });
    const weights = storeOf();
    const pkg = programAt(hub.url);
    await pull({ ...pkg, sources: [`${hub.url}/m/`, `${hub.url}/n/`] }, optionsOf(weights));
    expect(openModelStore(weights).installed("little")).not.toBeNull();
  });

  const other = "0".repeat(64);
  test.each([
    ["another archive", { archive: { sha256: other } }, "not the expected file"],
    ["an archive without the member", { archive: { member: "package/none" } }, "has no package/none"],
    ["another member", { sha256: other }, "has the hash"],
  ])("refuses %s, and installs nothing", async (_what, change, message) => {
    using hub = openHub({ "m/tool-1.0.tgz": ARCHIVE });
    const weights = storeOf();
    const pkg = programAt(hub.url, [fileOf("tool.js", change)]);
    await expect(pull(pkg, optionsOf(weights))).rejects.toThrow(message);
    expect(openModelStore(weights).installed("little")).toBeNull();
  });

  test("takes the files of this platform, and says where there are none", async () => {
    using hub = openHub({ "m/tool-1.0.tgz": ARCHIVE });
    const here = `${process.platform}-${process.arch}`;
    const elsewhere = here === "linux-x64" ? "darwin-arm64" : "linux-x64";
    const both = [fileOf("tool.js", { platform: elsewhere }), fileOf("tool.js", { platform: here })];
    const locked = await pull(programAt(hub.url, both), optionsOf(storeOf()));
    expect(locked.files.map(({ platform }) => platform)).toEqual([here]);
    await expect(pull(programAt(hub.url, both.slice(0, 1)), optionsOf(storeOf()))).rejects.toThrow(
      `little is not published for ${here}`,
    );
  });
});

test("a manifest names a file once for each platform, and the hash of what is in an archive", () => {
  const parsed = (files: object[]) => () => programAt("https://hub.example", files as never);
  expect(parsed([fileOf("tool.js", { platform: "linux-x64" }), fileOf("tool.js")])).toThrow("twice");
  expect(parsed([{ ...fileOf("tool.js"), sha256: null }])).toThrow("without its size or hash");
});

test("both programs need their licence to be accepted", async () => {
  const packages = readPackages(readConfig({}).models.folder);
  for (const name of ["espeak-ng", "ffmpeg"])
    await expect(pull(packages.get(name)!, optionsOf(storeOf()))).rejects.toThrow(
      "is a program under GPL-3.0-or-later",
    );
});

const npm = "@echogarden/espeak-ng-emscripten";
const hasEspeak = hasPackage(npm);
test.skipIf(!hasEspeak)(
  `pulled and imported, eSpeak NG pronounces in a process of its own${hasEspeak ? "" : ` (skipped: ${npm} is not installed)`}`,
  async () => {
    const folder = fileURLToPath(new URL(".", import.meta.resolve(npm)));
    const known = readPackages(readConfig({}).models.folder).get("espeak-ng")!;
    const members = known.files.map(({ path }) => [path, readFileSync(join(folder, path))]);
    const bytes = await archiveOf(Object.fromEntries(members));
    using hub = openHub({ "m/espeak.tgz": bytes });
    const archive = { path: "espeak.tgz", bytes: bytes.length, sha256: sha256(bytes) };
    const files = known.files.map((file) => ({ ...file, archive: { ...file.archive!, ...archive } }));
    const pkg = parsePackage("test", JSON.stringify({ ...known, sources: [`${hub.url}/m/`], files }));
    const pulled = storeOf();
    await pull(pkg, { ...optionsOf(pulled), licenseAccepted: true });
    const bundle = join(storeOf(), "espeak-ng.tar");
    await exportPackage(openModelStore(pulled).installed("espeak-ng")!, bundle);
    const imported = storeOf();
    await importBundle(bundle, { weights: imported, licenseAccepted: true, tryOut: UNTRIED });
    const code = join(installedFolder(imported, "espeak-ng")!, "espeak-ng.js");
    expect(existsSync(code)).toBe(true);
    const script = `
      import { openPulled } from ${JSON.stringify(fileURLToPath(new URL("../../../workers/g2p/open-espeak.ts", import.meta.url)))};
      const { espeak, memory } = await openPulled();
      espeak.set_voice("de");
      const { ptr } = espeak.text_to_phonemes("Guten Tag", 1);
      console.log(Buffer.from(memory().subarray(ptr, memory().indexOf(0, ptr))).toString());`;
    const child = Bun.spawn([process.execPath, "-e", script], {
      env: { LOQUAT_WEIGHTS: imported },
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect({ out: out.trim().replace(/[ˈˌ_]/g, ""), err }).toEqual({ out: "ɡuːtən tɑːk", err: "" });
  },
);

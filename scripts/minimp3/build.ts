/**
 * Builds minimp3 as WebAssembly, and writes it as text to `workers/media/mp3/minimp3-module.ts`:
 *
 *   bun scripts/minimp3/build.ts [minimp3.h]
 *
 * Needs clang 14 and lld 14 of Debian 12 (`apt-get install clang lld`), which make the same bytes every time. Without a
 * file, minimp3.h is downloaded; either way it is the one of `COMMIT`, or the build fails.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const COMMIT = "7b590fdcfa5a79c033e76eacc05d0c3e4c79f536";
const HEADER_SHA256 = "5fb296a790734772b65a5514438cc06d14f24e539c13475ff2a7f737681c82c0";
const SOURCE = `https://raw.githubusercontent.com/lieff/minimp3/${COMMIT}/minimp3.h`;
const MODULE = join(import.meta.dir, "../../workers/media/mp3/minimp3-module.ts");
const STACK_BYTES = 64 * 1024; // a frame takes a quarter of it

const folder = mkdtempSync(join(tmpdir(), "loquat-minimp3-"));
try {
  writeFileSync(join(folder, "minimp3.h"), await header(process.argv[2]));
  writeFileSync(MODULE, moduleOf(compile(folder)));
} finally {
  rmSync(folder, { recursive: true });
}

async function header(path: string | undefined): Promise<Uint8Array> {
  const bytes = path ? readFileSync(path) : await (await fetch(SOURCE)).bytes();
  if (sha256(bytes) !== HEADER_SHA256) throw new Error(`this is not minimp3.h of ${COMMIT}`);
  return bytes;
}

function compile(folder: string): Uint8Array {
  const made = join(folder, "minimp3.wasm");
  const linker = ["--no-entry", "--strip-all", "--stack-first", `-z,stack-size=${STACK_BYTES}`];
  const { status, error } = spawnSync(
    "clang-14",
    [
      ...["--target=wasm32", "-O3", "-nostdlib", "-mbulk-memory"],
      ...["-isystem", join(import.meta.dir, "include"), "-I", folder],
      ...linker.map((option) => `-Wl,${option}`),
      ...[join(import.meta.dir, "minimp3.c"), "-o", made],
    ],
    { stdio: "inherit" },
  );
  if (status !== 0) throw error ?? new Error("clang-14 failed");
  return readFileSync(made);
}

function moduleOf(wasm: Uint8Array): string {
  const lines = Buffer.from(wasm)
    .toString("base64")
    .match(/.{1,160}/g)!;
  return `/**
 * minimp3 (CC0) as WebAssembly, in base64: what \`bun scripts/minimp3/build.ts\` has written, from commit
 * ${COMMIT} of github.com/lieff/minimp3. Its SHA-256 is
 * ${sha256(wasm)}.
 */

export const MINIMP3_BASE64 = \`
${lines.join("\n")}\`;
`;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Compresses what an executable carries beside its code into `STAGE/packed`, with the index that src/resources.ts reads.
 * A file is several frames, so that unpacking needs little memory.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { guideSources, PACKED_GUIDES } from "../../src/api/docs/guide-sources.ts";
import { bundleWeb } from "../../src/api/pages/web-bundle.ts";
import type { PackedFile, PackedIndex } from "../../src/resources.ts";
import type { NativeFile } from "./natives.ts";
import { CACHE, type Flavour } from "./target.ts";

const FRAME_BYTES = 64 * 1024 * 1024;
const LEVEL = 20; // 22 takes a sixth longer, and saves a thousandth

/** `licenses`: the text that `loquat licenses` prints. */
type Contents = {
  flavour: Flavour;
  files: readonly NativeFile[];
  packages: Record<string, string>;
  licenses: string;
};

export async function pack(stage: string, { flavour, files, packages, licenses }: Contents): Promise<void> {
  mkdirSync(join(stage, "web"), { recursive: true });
  const packed: PackedIndex["files"] = {};
  const packBytes = async (name: string, bytes: Uint8Array) => {
    packed[name] = await packFile(bytes, join(stage, `${name}.zst`));
  };
  for (const { name, path, change = (bytes: Uint8Array) => bytes } of files)
    await packBytes(name, change(readFileSync(path)));
  await packBytes("licenses.txt", Buffer.from(licenses));
  await packBytes(PACKED_GUIDES, Buffer.from(JSON.stringify(guideSources())));
  const groups = Object.values(Object.groupBy(files, ({ group }) => group ?? "")).flatMap((group) =>
    group?.[0]?.group ? [group.map(({ name }) => name)] : [],
  );
  writeFileSync(
    join(stage, "index.json"),
    JSON.stringify({ flavour, packages, files: packed, groups } satisfies PackedIndex),
  );
  await packWeb(stage);
}

async function packFile(bytes: Uint8Array, to: string): Promise<PackedFile> {
  const count = Math.max(1, Math.ceil(bytes.length / FRAME_BYTES));
  const frames = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      compressed(bytes.subarray(index * FRAME_BYTES, (index + 1) * FRAME_BYTES)),
    ),
  );
  writeFileSync(to, Buffer.concat(frames));
  return {
    sha256: createHash("sha256").update(bytes).digest("hex"),
    sizeBytes: bytes.length,
    frames: frames.map(({ length }) => length),
  };
}

/** Takes seconds a frame, so the result is kept by the hash of its input. */
async function compressed(bytes: Uint8Array): Promise<Uint8Array> {
  const folder = join(CACHE, "compressed");
  const kept = join(folder, `${createHash("sha256").update(bytes).digest("hex")}-${LEVEL}`);
  if (existsSync(kept)) return readFileSync(kept);
  const result = await Bun.zstdCompress(bytes, { level: LEVEL });
  mkdirSync(folder, { recursive: true });
  writeFileSync(kept, result);
  return result;
}

async function packWeb(stage: string): Promise<void> {
  const files = await bundleWeb();
  for (const [name, { gzip }] of files) writeFileSync(join(stage, "web", `${name}.gz`), gzip);
  const entries = [...files].map(([name, { type, isImmutable }]) => ({ name, type, isImmutable }));
  writeFileSync(join(stage, "web.json"), JSON.stringify(entries));
}

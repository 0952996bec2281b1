/** A tone of a second in every format that uploads come in: ours by our encoders, the others by FFmpeg's. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tone } from "./hostile.ts";

const OURS = ["wav", "mp3", "flac", "opus"] as const;
const PACKED = {
  m4a: ["ipod", "aac"],
  aac: ["adts", "aac"],
  "ogg vorbis": ["ogg", "libvorbis"],
  "webm opus": ["webm", "libopus"],
  "webm vorbis": ["webm", "libvorbis"],
  "webm, as Chrome records it": ["webm", "libopus", "recorded"],
  "mp4 in fragments, as Safari records it": ["mp4", "aac", "recorded"],
} as const;

type Ours = (typeof OURS)[number];
export type Format = Ours | keyof typeof PACKED;

export const FORMATS: Format[] = [...OURS, ...(Object.keys(PACKED) as (keyof typeof PACKED)[])];

/** Needs node-av for those that are not ours. */
export async function packed(format: Format): Promise<Uint8Array> {
  if (!Object.hasOwn(PACKED, format)) return tone(format as Ours);
  const folder = mkdtempSync(join(tmpdir(), "loquat-packed-"));
  const path = join(folder, "tone");
  try {
    const script = fileURLToPath(new URL("pack.ts", import.meta.url));
    const [muxer, encoder, ...recorded] = PACKED[format as keyof typeof PACKED];
    const child = Bun.spawn([process.execPath, script, muxer, encoder, path, ...recorded], {
      stdout: "ignore",
      stderr: "pipe",
    });
    const complaint = await child.stderr.text();
    if ((await child.exited) !== 0) throw new Error(`no ${format} was made: ${complaint}`);
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

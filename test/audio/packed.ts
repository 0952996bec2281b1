/** A tone of a second in every format that uploads come in: ours by our encoders, the others by FFmpeg's. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tone } from "./hostile.ts";

/** What FFmpeg is to make: a tone of a second, of one channel at 48 kHz, in one track, unless said. */
export type Packing = {
  muxer: string;
  encoder: string;
  seconds?: number;
  /** The time of its first sample. */
  startSeconds?: number;
  rate?: number;
  channels?: number;
  tracks?: number;
  hasPictures?: boolean;
  isNoisy?: boolean;
  /** Options of the muxer. */
  muxing?: Record<string, string | number>;
};

const OURS = ["wav", "mp3", "flac", "opus"] as const;
/** Browsers write files while they grow, which never say how long they are. */
const PACKED = {
  m4a: { muxer: "ipod", encoder: "aac" },
  aac: { muxer: "adts", encoder: "aac" },
  "ogg vorbis": { muxer: "ogg", encoder: "libvorbis" },
  "webm opus": { muxer: "webm", encoder: "libopus" },
  "webm vorbis": { muxer: "webm", encoder: "libvorbis" },
  "webm, as Chrome records it": { muxer: "webm", encoder: "libopus", muxing: { live: 1 } },
  "mp4 in fragments, as Safari records it": {
    muxer: "mp4",
    encoder: "aac",
    muxing: { movflags: "frag_keyframe+empty_moov+default_base_moof" },
  },
} satisfies Record<string, Packing>;

type Ours = (typeof OURS)[number];
export type Format = Ours | keyof typeof PACKED;

export const FORMATS: Format[] = [...OURS, ...(Object.keys(PACKED) as (keyof typeof PACKED)[])];

/** Needs node-av for those that are not ours. */
export async function packed(format: Format): Promise<Uint8Array> {
  if (!Object.hasOwn(PACKED, format)) return tone(format as Ours);
  return (await made([PACKED[format as keyof typeof PACKED]]))[0]!;
}

/** What FFmpeg makes of each. Needs node-av. */
export async function made(packings: readonly Packing[]): Promise<Buffer[]> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-packed-"));
  try {
    const script = fileURLToPath(new URL("pack.ts", import.meta.url));
    const child = Bun.spawn([process.execPath, script, folder, JSON.stringify(packings)], {
      stdout: "ignore",
      stderr: "pipe",
    });
    const complaint = await child.stderr.text();
    if ((await child.exited) !== 0) throw new Error(`FFmpeg made no file: ${complaint}`);
    return packings.map((_, index) => readFileSync(join(folder, String(index))));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

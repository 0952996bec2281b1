/** The formats of docs/requests.md: what is read and what is refused, as both programs answer to a file of each. */

import { WITH_FFMPEG, WITHOUT_FFMPEG } from "../../src/engine/media/decode-program.ts";
import type { WavWork } from "../../src/engine/media/media-decoder.ts";
import { type Decoder, openDecoder } from "../../src/engine/media/media-decoder.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import { made, type Packing } from "../../test/audio/packed.ts";
import { aligned, withBlock } from "./blocks.ts";

/** Sound, and the files that it comes in: the names of FFmpeg's muxers. */
type Sound = { name: string; encoder: string; files: string[]; rate?: number; channels?: number };

const SOUNDS: readonly Sound[] = [
  { name: "PCM, 16 bits", encoder: "pcm_s16le", files: ["wav", "w64", "avi", "matroska"] },
  { name: "PCM, big-endian", encoder: "pcm_s16be", files: ["aiff", "au", "caf", "mov"] },
  { name: "PCM, 8 bits", encoder: "pcm_u8", files: ["wav"] },
  { name: "PCM, 24 bits", encoder: "pcm_s24le", files: ["wav"] },
  { name: "PCM, 32 bits, floating point", encoder: "pcm_f32le", files: ["wav"] },
  { name: "PCM of DVDs", encoder: "pcm_dvd", files: ["vob"], channels: 2 },
  { name: "G.711 A-law, µ-law", encoder: "pcm_alaw", files: ["wav", "aiff"] },
  { name: "G.711 A-law, µ-law", encoder: "pcm_mulaw", files: ["wav", "au"] },
  { name: "G.722", encoder: "g722", files: ["wav"], rate: 16_000 },
  { name: "G.723.1", encoder: "g723_1", files: ["wav"], rate: 8000 },
  { name: "G.726", encoder: "g726", files: ["wav"], rate: 8000 },
  { name: "ADPCM (IMA, Microsoft, Yamaha)", encoder: "adpcm_ima_wav", files: ["wav"] },
  { name: "ADPCM (IMA, Microsoft, Yamaha)", encoder: "adpcm_ms", files: ["wav"] },
  { name: "ADPCM (IMA, Microsoft, Yamaha)", encoder: "adpcm_yamaha", files: ["wav"] },
  { name: "ADPCM (QuickTime)", encoder: "adpcm_ima_qt", files: ["aiff", "mov"] },
  { name: "ADPCM (Flash)", encoder: "adpcm_swf", files: ["flv"], rate: 22_050 },
  { name: "Nellymoser", encoder: "nellymoser", files: ["flv"], rate: 22_050 },
  { name: "MP3", encoder: "libmp3lame", files: ["mp3", "wav", "mp4", "matroska", "avi", "flv"] },
  { name: "MPEG layer II", encoder: "mp2", files: ["mp2", "mpeg", "vob", "mpegts", "matroska"] },
  {
    name: "AAC",
    encoder: "aac",
    files: ["adts", "latm", "ipod", "mp4", "mov", "3gp", "matroska", "flv", "mpegts"],
  },
  { name: "FLAC", encoder: "flac", files: ["flac", "ogg", "mp4", "matroska"] },
  { name: "ALAC", encoder: "alac", files: ["ipod", "mov", "caf", "matroska"] },
  { name: "WavPack", encoder: "wavpack", files: ["wv", "matroska"] },
  { name: "TTA", encoder: "tta", files: ["tta", "matroska"] },
  { name: "Opus", encoder: "libopus", files: ["ogg", "webm", "matroska", "mp4", "mpegts"] },
  { name: "Vorbis", encoder: "libvorbis", files: ["ogg", "webm", "matroska"] },
  { name: "WMA 1, WMA 2", encoder: "wmav1", files: ["asf"] },
  { name: "WMA 1, WMA 2", encoder: "wmav2", files: ["asf", "wav"] },
  { name: "AC-3", encoder: "ac3", files: ["ac3", "wav", "vob", "mpegts", "matroska", "mp4", "avi"] },
  { name: "E-AC-3", encoder: "eac3", files: ["eac3", "mpegts", "matroska"] },
  { name: "DTS", encoder: "dca", files: ["dts", "vob", "mpegts", "matroska"], channels: 2 },
  { name: "TrueHD", encoder: "truehd", files: ["truehd", "mpegts", "matroska"], channels: 2 },
  { name: "MLP", encoder: "mlp", files: ["mlp"], channels: 2 },
  { name: "SMPTE 302M", encoder: "s302m", files: ["mpegts"], channels: 2 },
  { name: "RealAudio", encoder: "real_144", files: ["rm"], rate: 8000 },
  { name: "Creative Voice", encoder: "pcm_u8", files: ["voc"] },
  { name: "SoX", encoder: "pcm_s32le", files: ["sox"] },
  { name: "NUT", encoder: "libopus", files: ["nut"] },
  { name: "Windows Television", encoder: "mp2", files: ["wtv"] },
];
const FILES: Record<string, string> = {
  ...{
    wav: "WAV",
    w64: "Wave64",
    avi: "AVI",
    matroska: "Matroska",
    webm: "WebM",
    aiff: "AIFF",
    au: "AU",
    caf: "CAF",
  },
  ...{
    mov: "MOV",
    mp4: "MP4",
    ipod: "M4A",
    "3gp": "3GP",
    vob: "VOB",
    mpeg: "MPEG",
    mpegts: "MPEG-TS",
    flv: "FLV",
  },
  ...{ ogg: "Ogg", asf: "ASF", adts: "ADTS", latm: "LATM" },
};
const TOGETHER = 4;

/** In both programs: "read", "refused" by its name, or what else was answered. */
type Answers = { sound: Sound; file: string; withFfmpeg: string; withoutFfmpeg: string };

async function answersOf(): Promise<Answers[]> {
  await using wavReader = openThreadPool<WavWork>(new URL("../../workers/media/wav.ts", import.meta.url), {
    size: 1,
  });
  const [full, small] = [WITH_FFMPEG, WITHOUT_FFMPEG].map((program) =>
    openDecoder({ maxSeconds: 600, timeoutMs: 60_000, childrenMax: 2, wavReader, program }),
  ) as [Decoder, Decoder];
  const cases = SOUNDS.flatMap((sound) => sound.files.map((file) => ({ sound, file })));
  const packings = cases.map(({ sound: { encoder, rate = 48_000, channels = 1 }, file }): Packing => {
    return { muxer: file, encoder, rate, channels };
  });
  const bytes = await made(packings);
  const answers: Answers[] = [];
  for (let start = 0; start < cases.length; start += TOGETHER)
    answers.push(
      ...(await Promise.all(
        cases.slice(start, start + TOGETHER).map(async (one, index) => ({
          ...one,
          withFfmpeg: await answerOf(full, bytes[start + index]!),
          withoutFfmpeg: await answerOf(small, bytes[start + index]!),
        })),
      )),
    );
  return answers;
}

async function answerOf(decoder: Decoder, bytes: Uint8Array): Promise<string> {
  const answer = await decoder.decode(bytes, soleClaim());
  if ("refusal" in answer)
    return answer.message.includes(", which is not read here") ? "refused" : answer.message;
  const isWhole = Math.abs(answer.durationSeconds - 1) < 0.15 && answer.warnings.length === 0;
  return isWhole ? "read" : `${answer.durationSeconds} seconds. ${answer.warnings.join(" ")}`;
}

/** The page with the list of what both programs answered. Needs node-av. */
export async function withFormats(page: string): Promise<string> {
  const rows = new Map<string, string[]>();
  for (const { sound, file, withFfmpeg, withoutFfmpeg } of await answersOf()) {
    const key = JSON.stringify([sound.name, withFfmpeg, withoutFfmpeg]);
    rows.set(key, [...new Set([...(rows.get(key) ?? []), FILES[file] ?? "its own"])]);
  }
  const table = [...rows].map(([key, files]) => {
    const [name, withFfmpeg, withoutFfmpeg] = JSON.parse(key) as [string, string, string];
    return [name, files.join(", "), withFfmpeg, withoutFfmpeg];
  });
  const lines = aligned([["Sound", "In files", "With FFmpeg", "Without"], ...table]);
  return withBlock(page, "formats", lines.join("\n"));
}

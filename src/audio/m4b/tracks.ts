/**
 * The tracks of an M4B file: its sound, and the titles of its chapters as a text that is shown with it.
 *
 *   trak: tkhd │ edts │ tref │ mdia: mdhd │ hdlr │ minf: … │ stbl: what each frame is, how long, how large, where
 */
import { TTS_SAMPLE_RATE } from "../rates.ts";
import { box, fullBox, text, UNTURNED, u16, u32, u32s } from "./boxes.ts";

const FRAME_SAMPLES = 1024;
/** What the encoder puts before the first sample. */
const PRIMING_SAMPLES = FRAME_SAMPLES;
const CHUNK_FRAMES = 24; // about a second
const BITRATE = 64_000;

const SOUND = 1;
const TITLES = 2;

type Sound = { frameSizes: Uint16Array; sampleCount: number; at: number; hasTitles: boolean };

/** `at`: where its frames begin in the file. */
export function soundTrack({ frameSizes, sampleCount, at, hasTitles }: Sound): Buffer {
  const frames = frameSizes.length;
  const header = { id: SOUND, flags: 7, sampleCount, volume: 0x100 }; // enabled, and played
  const heard = fullBox("elst", 0, u32s([1, sampleCount, PRIMING_SAMPLES, 0x1_0000]));
  const described = box("mp4a", Buffer.alloc(6), u16(1), Buffer.alloc(8), ...SOUND_SHAPE, decoderBox());
  return box(
    "trak",
    trackHeader(header),
    box("edts", heard),
    ...(hasTitles ? [box("tref", box("chap", u32(TITLES)))] : []),
    media({
      ...{ kind: "soun", name: "Sound", duration: frames * FRAME_SAMPLES },
      ...{ header: fullBox("smhd", 0, u32(0)), described },
      durations: [[frames, FRAME_SAMPLES]],
      sizes: frameSizes,
      ...chunksOf(frameSizes, at),
    }),
  );
}

/** One channel of 16 bits. */
const SOUND_SHAPE = [u16(1), u16(16), u32(0), u32(TTS_SAMPLE_RATE * 0x1_0000)];

/** AAC-LC, by the descriptors of ISO/IEC 14496-1, 7.2.6. */
function decoderBox(): Buffer {
  const descriptor = (tag: number, ...content: Buffer[]) => {
    const all = Buffer.concat(content);
    return Buffer.concat([Buffer.of(tag, all.length), all]);
  };
  const setting = descriptor(5, Buffer.of(0x13, 0x08)); // AAC-LC, 24 kHz, one channel
  const decoder = descriptor(4, Buffer.of(0x40, 0x15, 0, 0, 0), u32(BITRATE), u32(BITRATE), setting);
  return fullBox("esds", 0, descriptor(3, u16(SOUND), Buffer.of(0), decoder, descriptor(6, Buffer.of(2))));
}

/** Where each chunk begins, and how many frames they have. */
function chunksOf(sizes: Uint16Array, at: number) {
  const places: number[] = [];
  let place = at;
  for (let frame = 0; frame < sizes.length; frame++) {
    if (frame % CHUNK_FRAMES === 0) places.push(place);
    place += sizes[frame]!;
  }
  const rest = sizes.length % CHUNK_FRAMES;
  const runs = sizes.length >= CHUNK_FRAMES ? [[1, CHUNK_FRAMES, 1]] : [];
  if (rest > 0) runs.push([places.length, rest, 1]);
  return { places, runs };
}

/** `starts`: of chapters, in samples; `at`: where their titles begin in the file. */
type Titles = { titles: Buffer[]; starts: number[]; sampleCount: number; at: number };

export function titleTrack({ titles, starts, sampleCount, at }: Titles): Buffer {
  const sizes = titles.map(({ length }) => length);
  const durations = starts.map((start, index): [number, number] => [
    1,
    Math.max(0, (starts[index + 1] ?? sampleCount) - start),
  ]);
  const described = box("text", Buffer.alloc(6), u16(1), TEXT_SHAPE);
  const header = box("gmhd", fullBox("gmin", 0, u16(0x40), Buffer.alloc(10)), box("text", UNTURNED));
  return box(
    "trak",
    trackHeader({ id: TITLES, flags: 0, sampleCount, volume: 0 }), // it is no sound to be played
    media({
      ...{ kind: "text", name: "Chapters", duration: sampleCount, header, described },
      ...{ durations, sizes, places: [at], runs: [[1, titles.length, 1]] },
    }),
  );
}

/** Flags, justification, colour, box and style of a text (QuickTime file format, text sample description), and its font's name. */
const TEXT_SHAPE = Buffer.alloc(44);

type Header = { id: number; flags: number; sampleCount: number; volume: number };

const trackHeader = ({ id, flags, sampleCount, volume }: Header) =>
  fullBox(
    "tkhd",
    flags,
    ...[u32s([0, 0, id, 0, sampleCount, 0, 0]), u32(0), u16(volume), u16(0), UNTURNED, u32s([0, 0])],
  );

/** `runs`: the first chunk, its samples, and their description. `durations`: how many samples last how long. */
type Media = {
  kind: string;
  name: string;
  duration: number;
  header: Buffer;
  described: Buffer;
  durations: [number, number][];
  sizes: ArrayLike<number>;
  places: number[];
  runs: number[][];
};

const UNDETERMINED = u16(0x55c4); // "und", five bits a letter

function media({ kind, name, duration, header, described, ...tables }: Media): Buffer {
  const { durations, sizes, places, runs } = tables;
  const here = box("dinf", fullBox("dref", 0, u32(1), fullBox("url ", 1))); // in this file
  const table = box(
    "stbl",
    fullBox("stsd", 0, u32(1), described),
    fullBox("stts", 0, u32s([durations.length, ...durations.flat()])),
    fullBox("stsc", 0, u32s([runs.length, ...runs.flat()])),
    fullBox("stsz", 0, u32s([0, sizes.length]), u32s(sizes)),
    fullBox("stco", 0, u32(places.length), u32s(places)),
  );
  return box(
    "mdia",
    fullBox("mdhd", 0, u32s([0, 0, TTS_SAMPLE_RATE, duration]), UNDETERMINED, u16(0)),
    fullBox("hdlr", 0, u32(0), text(kind), Buffer.alloc(12), text(`${name}\0`)),
    box("minf", header, here, table),
  );
}

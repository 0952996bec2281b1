/**
 * Hostile uploads: files that name other files, promise what they do not hold, or unfold without end.
 *
 * Everything is built in memory. `samplesFile` and `origin` are what a decoder must never open: a readable recording
 * on disk, and a listener that counts its visitors.
 */
import { deflateSync } from "node:zlib";
import { openEncoder } from "../../src/audio/encode.ts";
import { OggWriter } from "../../src/audio/ogg.ts";
import { wavHeader } from "../../src/audio/pcm.ts";

export type Crafted = Record<string, Uint8Array>;

const text = (content: string): Uint8Array => Buffer.from(content, "latin1");

/** Texts that a trusting demuxer follows to another file or to the network. */
export function pointers(samplesFile: string, origin: string): Crafted {
  const playlist = (uri: string) =>
    text(`#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n${uri}\n#EXT-X-ENDLIST\n`);
  const period = `<Period><AdaptationSet mimeType="audio/wav"><Representation id="1" bandwidth="1"><BaseURL>${origin}/a.wav</BaseURL></Representation></AdaptationSet></Period>`;
  return {
    "ffconcat to /etc/passwd": text("ffconcat version 1.0\nfile /etc/passwd\n"),
    "ffconcat to a recording": text(`ffconcat version 1.0\nfile '${samplesFile}'\n`),
    "playlist to a recording": playlist(`file://${samplesFile}`),
    "playlist to a bare path": playlist(samplesFile),
    "playlist to a listener": playlist(`${origin}/a.wav`),
    "playlist with a key": text(
      `#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="${origin}/key"\n#EXTINF:1,\n${origin}/a.ts\n`,
    ),
    "DASH to a listener": text(
      `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT10S">${period}</MPD>`,
    ),
    SDP: text("v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 9 RTP/AVP 0\n"),
  };
}

/** A film of 32 samples that says they are in another file. */
export const external = (samplesFile: string): Uint8Array => movie([audioTrack({ reference: samplesFile })]);

/** Things that are no recording at all. */
export function notAudio(): Crafted {
  const random = Uint8Array.from(
    { length: 100_000 },
    (_, i) => (Math.imul(i + 1, 2_654_435_761) >>> 13) & 0xff,
  );
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  return {
    empty: new Uint8Array(0),
    "one byte": new Uint8Array(1),
    zeros: new Uint8Array(100_000),
    random,
    png,
    "plain text": text("The quick brown fox jumps over the lazy dog.\n".repeat(1000)),
    zip: Buffer.concat([text("PK\x03\x04\x14\0\0\0\x08\0"), deflateSync(new Uint8Array(50_000_000))]),
    "a film without sound": movie([pictureTrack()]),
  };
}

/** Headers that declare what cannot be. */
export function liars(): Crafted {
  const declare = (patch: (view: DataView) => void, dataBytes = 0) => {
    const wav = Buffer.concat([wavHeader(dataBytes / 2, 16_000), new Uint8Array(dataBytes)]);
    patch(new DataView(wav.buffer, wav.byteOffset, wav.length));
    return wav;
  };
  const size = (bytes: number) => Buffer.from([0, 0, 0, 0].map((_, i) => (bytes >>> (24 - 8 * i)) & 0xff));
  return {
    "wav of no samples": declare(() => {}),
    "wav at 0 Hz": declare((view) => view.setUint32(24, 0, true), 3200),
    "wav at 2^31 Hz": declare((view) => view.setUint32(24, 2 ** 31, true), 3200),
    "wav of 65,535 channels": declare((view) => view.setUint16(22, 65_535, true), 3200),
    "wav of no bits": declare((view) => view.setUint16(34, 0, true), 3200),
    "mp4 with a moov of 4 GB": Buffer.concat([
      box("ftyp", text("isomiso2")),
      size(0xffff_fff0),
      text("moov"),
    ]),
    "mp4 with a moov that unfolds to 100 MB": compressed(100_000_000, 100_000_000),
    "mp4 with a moov that claims to unfold to 2 GB": compressed(10_000_000, 2_000_000_000),
    "mp4 with 5,000,000 edits": movie([audioTrack({ edits: 1_000_000, editsDeclared: 5_000_000 })]),
    "mp4 with 4,000,000,000 samples": movie([audioTrack({ samplesDeclared: 4_000_000_000 })]),
    "mov with 900 tracks": movie(Array.from({ length: 900 }, () => audioTrack({}))),
    "matroska with 900 tracks": matroska(900),
    "flac with 16 MB of metadata promised": Buffer.concat([
      text("fLaC\x84"),
      Buffer.from([0xff, 0xff, 0xff]),
      text("x"),
    ]),
    "id3 that declares 256 MB": Buffer.concat([
      text("ID3\x04\0\0\x7f\x7f\x7f\x7f"),
      text("APIC"),
      text("\x7f\x7f\x7f\x7f"),
    ]),
  };
}

/** Hours of sound in little space: 6 frames of nothing in a packet of two bytes are 120 ms. */
export function hoursOfSilence(hours: number): Uint8Array {
  let silence = silences.get(hours);
  if (!silence) {
    silence = madeSilence(hours);
    silences.set(hours, silence);
  }
  return silence;
}

/** By hours: to make one takes most of a second, and nothing changes it. */
const silences = new Map<number, Uint8Array>();

function madeSilence(hours: number): Uint8Array {
  const writer = new OggWriter(255);
  const head = Buffer.from([...text("OpusHead"), 1, 1, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0]);
  const chunks: Uint8Array[] = [writer.header(head), writer.header(text(`OpusTags${"\0".repeat(8)}`))];
  const packet = Uint8Array.of(0xfb, 6); // CELT, 20 ms, as many equal frames as the next byte says
  const count = (hours * 3600) / 0.12;
  for (let i = 1; i <= count; i++) {
    const page = writer.packet(packet, BigInt(i * 5760));
    if (page) chunks.push(page);
  }
  return Buffer.concat([...chunks, writer.finish(BigInt(count * 5760))]);
}

/** A tone of one second at 24 kHz, in any of the formats we write. */
export async function tone(format: "wav" | "mp3" | "flac" | "opus", seconds = 1): Promise<Uint8Array> {
  const sampleCount = seconds * 24_000;
  const encoder = await openEncoder(format, { sampleRate: 24_000, sampleCount });
  const body = encoder.encode(Float32Array.from({ length: sampleCount }, (_, i) => 0.5 * Math.sin(i / 8)));
  return Buffer.concat([body, encoder.finish().tail]);
}

/** An ISO media box: its size, its name, what it holds. */
function box(name: string, ...held: Uint8Array[]): Uint8Array {
  const whole = Buffer.concat([new Uint8Array(4), text(name), ...held]);
  whole.writeUInt32BE(whole.length, 0);
  return whole;
}

const words = (...values: number[]): Uint8Array => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, i * 4);
  return bytes;
};

function movie(tracks: Uint8Array[]): Uint8Array {
  const header = box("mvhd", words(0, 0, 0, 1000, 1000, 0x1_0000), new Uint8Array(76), words(2));
  return Buffer.concat([
    box("ftyp", text("qt  qt  ")),
    box("moov", header, ...tracks),
    box("mdat", new Uint8Array(64)),
  ]);
}

type TrackOptions = { reference?: string; edits?: number; editsDeclared?: number; samplesDeclared?: number };

function audioTrack({
  reference,
  edits = 0,
  editsDeclared = edits,
  samplesDeclared = 32,
}: TrackOptions): Uint8Array {
  const entry = box(
    "sowt",
    words(0),
    words(1),
    words(0, 0),
    words((1 << 16) | 16),
    words(0),
    words(16_000 << 16),
  );
  const list = Buffer.alloc(edits * 12, words(1, 0, 0x1_0000));
  const alias = reference === undefined ? box("url ", words(1)) : box("alis", words(0), text(reference));
  return track("soun", entry, {
    edits: edits > 0 ? box("edts", box("elst", words(0, editsDeclared), list)) : new Uint8Array(0),
    alias,
    samplesDeclared,
  });
}

function pictureTrack(): Uint8Array {
  const entry = box("png ", words(0, 1), new Uint8Array(16), words((16 << 16) | 16), new Uint8Array(50));
  return track("vide", entry, { edits: new Uint8Array(0), alias: box("url ", words(1)), samplesDeclared: 1 });
}

type Parts = { edits: Uint8Array; alias: Uint8Array; samplesDeclared: number };

function track(
  kind: "soun" | "vide",
  entry: Uint8Array,
  { edits, alias, samplesDeclared }: Parts,
): Uint8Array {
  const table = box(
    "stbl",
    box("stsd", words(0, 1), entry),
    box("stts", words(0, 1, samplesDeclared, 1)),
    box("stsc", words(0, 1, 1, samplesDeclared, 1)),
    box("stsz", words(0, 2, samplesDeclared)),
    box("stco", words(0, 1, 64)),
  );
  const media = box(
    "mdia",
    box("mdhd", words(0, 0, 0, 16_000, 16_000, 0)),
    box("hdlr", words(0, 0), text(kind), new Uint8Array(13)),
    box("minf", box("dinf", box("dref", words(0, 1), alias)), table),
  );
  return box("trak", box("tkhd", words(7, 0, 0, 1, 0, 1000), new Uint8Array(60)), edits, media);
}

/** Zeros behind a compressed header. */
function compressed(sizeBytes: number, declaredBytes: number): Uint8Array {
  const folded = box("cmvd", words(declaredBytes), deflateSync(new Uint8Array(sizeBytes)));
  const moov = box("moov", box("cmov", box("dcom", text("zlib")), folded));
  return Buffer.concat([box("ftyp", text("qt  qt  ")), moov]);
}

function matroska(tracks: number): Uint8Array {
  const element = (id: string, ...held: Uint8Array[]): Uint8Array => {
    const body = Buffer.concat(held);
    return Buffer.concat([Buffer.from(id, "hex"), words(0x1000_0000 | body.length), body]);
  };
  const entry = (i: number) => {
    const number = Uint8Array.of(i >> 8, i & 0xff);
    const codec = element("86", text("A_PCM/INT/LIT"));
    return element(
      "ae",
      element("d7", number),
      element("73c5", number),
      element("83", Uint8Array.of(2)),
      codec,
    );
  };
  const entries = Array.from({ length: tracks }, (_, i) => entry(i + 1));
  const head = element("1a45dfa3", element("4282", text("matroska")));
  return Buffer.concat([head, element("18538067", element("1654ae6b", ...entries))]);
}

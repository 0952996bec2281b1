/** Formats that are not read, or not without FFmpeg, by their first bytes, so that a refusal can name them. */
import type { Source } from "./source.ts";

const HEAD_BYTES = 64;

type Known = { name: string; starts: string[]; at?: number };

/** Also with FFmpeg. @internal */
export const NEVER_READ: readonly Known[] = [
  { name: "WAV with big-endian numbers (RIFX)", starts: ["RIFX"] },
  { name: "Monkey's Audio", starts: ["MAC "] },
  { name: "DSS of dictation recorders", starts: ["\x02dss", "\x03dss"] },
  { name: "DS2 of dictation recorders", starts: ["\x01ds2", "\x03ds2", "\x07ds2"] },
  { name: "Musepack", starts: ["MP+", "MPCK"] },
  { name: "RealAudio", starts: [".RMF", ".ra\xfd"] },
  { name: "DSD", starts: ["DSD ", "FRM8"] },
  { name: "TAK", starts: ["tBaK"] },
  { name: "OptimFROG", starts: ["OFR "] },
  { name: "Shorten", starts: ["ajkg"] },
  { name: "SILK", starts: ["#!SILK", "\x02#!SILK"] },
  { name: "MIDI", starts: ["MThd"] },
  { name: "Creative Voice", starts: ["Creative Voice File"] },
  { name: "NIST Sphere", starts: ["NIST_1A"] },
  { name: "Amiga 8SVX", starts: ["8SVX"], at: 8 },
  { name: "XWMA", starts: ["XWMA"], at: 8 },
  { name: "AAC in ADIF", starts: ["ADIF"] },
  { name: "AC-4", starts: ["\xac\x40", "\xac\x41"] },
  { name: "QOA", starts: ["qoaf"] },
  { name: "TwinVQ", starts: ["TWIN"] },
  { name: "SoX", starts: [".SoX", "XoS."] },
  { name: "NUT", starts: ["nut/multimedia container"] },
  { name: "Windows Television", starts: ["\xb7\xd8\x00\x20\x37\x49\xda\x11"] },
  { name: "MXF", starts: ["\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02"] },
  { name: "Flash", starts: ["FWS", "CWS", "ZWS"] },
  { name: "a playlist", starts: ["#EXTM3U"] },
  { name: "a PDF document", starts: ["%PDF"] },
  { name: "a ZIP archive", starts: ["PK\x03\x04"] },
  { name: "an HTML page", starts: ["<!doctype", "<!DOCTYPE", "<html"] },
];

/** Which may hold frames of MP3 between others, of which our reader would make a recording. */
const CONTAINERS: readonly Known[] = [
  { name: "MP4 or M4A", starts: ["ftyp"], at: 4 },
  { name: "QuickTime", starts: ["moov", "mdat", "wide", "free"], at: 4 },
  { name: "Matroska or WebM", starts: ["\x1a\x45\xdf\xa3"] },
  { name: "AIFF", starts: ["AIF"], at: 8 },
  { name: "CAF", starts: ["caff"] },
  { name: "AMR", starts: ["#!AMR"] },
  { name: "ASF or WMA", starts: ["\x30\x26\xb2\x75"] },
  { name: "FLV", starts: ["FLV\x01"] },
  { name: "AU", starts: [".snd"] },
  { name: "WavPack", starts: ["wvpk"] },
  { name: "TTA", starts: ["TTA1"] },
  { name: "Wave64", starts: ["riff\x2e\x91\xcf\x11"] },
  { name: "AVI", starts: ["AVI "], at: 8 },
  { name: "an MPEG program stream", starts: ["\x00\x00\x01\xba"] },
  { name: "an MPEG transport stream", starts: ["\x47\x40"] },
];

const WAV: readonly Known[] = [{ name: "WAV with a codec", starts: ["WAVE"], at: 8 }]; // MP3 in it is read

const BARE: readonly Known[] = [
  { name: "AC-3", starts: ["\x0b\x77"] },
  { name: "DTS", starts: ["\x7f\xfe\x80\x01"] },
  { name: "TrueHD", starts: ["\xf8\x72\x6f\xba"], at: 4 },
  { name: "MLP", starts: ["\xf8\x72\x6f\xbb"], at: 4 },
  { name: "MPEG layer I", starts: ["\xff\xf6", "\xff\xf7", "\xff\xfe", "\xff\xff"] },
  { name: "MPEG layer II", starts: ["\xff\xf4", "\xff\xf5", "\xff\xfc", "\xff\xfd"] },
  { name: "MP3 in free format", starts: ["\xff\xfa", "\xff\xfb", "\xff\xf2", "\xff\xf3"] },
  { name: "AAC", starts: ["\xff\xf0", "\xff\xf1", "\xff\xf8", "\xff\xf9"] },
  { name: "AAC in LATM", starts: ["\x56\xe0", "\x56\xe1", "\x56\xe2", "\x56\xe3"] },
];

function nameOf(source: Source, formats: readonly Known[]): string | undefined {
  const head = source.read(0, HEAD_BYTES).toString("latin1");
  return formats.find(({ starts, at = 0 }) => starts.some((start) => head.startsWith(start, at)))?.name;
}

/** Of a format that FFmpeg is not asked to read. */
export const unreadFormat = (source: Source): string | undefined => nameOf(source, NEVER_READ);

/** The same, and of containers that only FFmpeg reads. */
export const formatBeyondOurs = (source: Source): string | undefined =>
  nameOf(source, [...NEVER_READ, ...CONTAINERS]);

/** Of bare frames, which a file seems to begin with. */
export const bareFormat = (source: Source): string | undefined => nameOf(source, BARE);

/** Of what is neither MP3 nor FLAC, where it seems to be something else. */
export const likelyFormat = (source: Source): string | undefined => nameOf(source, [...WAV, ...BARE]);

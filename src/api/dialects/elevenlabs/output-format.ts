/** The formats of ElevenLabs by name, such as mp3_44100_128: codec, Hz, and kbit/s where the codec has a bitrate. */
import type { ClipFormat } from "../../../audio/formats.ts";
import { Refusal } from "../../../errors.ts";

const RATES = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
const OPUS_KBITS = [32, 64, 96, 128, 192];
const MP3_KBITS = [32, 64, 96, 128, 192];

const mp3 = (sampleRate: number, kbit: number): [string, ClipFormat] => [
  `mp3_${sampleRate}_${kbit}`,
  { format: "mp3", sampleRate, bitrate: kbit * 1000 },
];

const FORMATS = new Map<string, ClipFormat>([
  mp3(22_050, 32),
  mp3(24_000, 48),
  ...MP3_KBITS.map((kbit) => mp3(44_100, kbit)),
  ["mp3_44100", { format: "mp3", sampleRate: 44_100, bitrate: 128_000 }],
  ...(["pcm", "wav"] as const).flatMap((format) =>
    RATES.map((sampleRate): [string, ClipFormat] => [`${format}_${sampleRate}`, { format, sampleRate }]),
  ),
  ["ulaw_8000", { format: "ulaw", sampleRate: 8000 }],
  ["alaw_8000", { format: "alaw", sampleRate: 8000 }],
  ...OPUS_KBITS.map((kbit): [string, ClipFormat] => [
    `opus_48000_${kbit}`,
    { format: "opus", sampleRate: 48_000, bitrate: kbit * 1000 },
  ]),
]);

export const DEFAULT_FORMAT = "mp3_44100_128";

export function outputFormat(name: string): ClipFormat {
  const format = FORMATS.get(name);
  if (format) return format;
  const message = `There is no output_format ${name.slice(0, 100)}. Those that are made: ${[...FORMATS.keys()].join(", ")}.`;
  throw new Refusal("unsupported_response_format", message, { param: "output_format" });
}

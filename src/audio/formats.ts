/** The formats that speech is encoded in. */

export const AUDIO_FORMATS = ["wav", "mp3", "flac", "pcm", "opus"] as const;
export type AudioFormat = (typeof AUDIO_FORMATS)[number];

/** AAC is encoded by FFmpeg, in its own process. */
export const SPEECH_FORMATS = [...AUDIO_FORMATS, "aac"] as const;
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];

/** Of audiobooks: a job's alone, AAC by FFmpeg too. */
export const BOOK_FORMAT = "m4b";

/** Those of jobs that speak. */
export const JOB_FORMATS = [...SPEECH_FORMATS, BOOK_FORMAT] as const;
export type JobFormat = (typeof JOB_FORMATS)[number];

/** Those of telephones, which other APIs name: G.711, of samples alone or in WAV. */
type TelephoneFormat = "ulaw" | "alaw" | "wav-ulaw" | "wav-alaw";

/** How a clip is encoded. `sampleRate`: in Hz; `bitrate`: bits a second. Absent: as the encoder of the format has it. */
export type ClipFormat = {
  format: JobFormat | TelephoneFormat;
  sampleRate?: number | undefined;
  bitrate?: number | undefined;
};

/** For descriptions: "wav, mp3 or flac". */
export const FORMAT_CHOICE = `${AUDIO_FORMATS.slice(0, -1).join(", ")} or ${AUDIO_FORMATS.at(-1)}`;

export const MEDIA_TYPES: Record<SpeechFormat, string> = {
  wav: "audio/wav",
  mp3: "audio/mpeg",
  flac: "audio/flac",
  pcm: "audio/pcm",
  opus: "audio/opus",
  aac: "audio/aac",
};

export const JOB_MEDIA_TYPES: Record<JobFormat, string> = { ...MEDIA_TYPES, m4b: "audio/mp4" };

/** Of G.711. */
const TELEPHONE_TYPES: Record<TelephoneFormat, string> = {
  ulaw: "audio/basic",
  alaw: "audio/x-alaw-basic",
  "wav-ulaw": "audio/wav",
  "wav-alaw": "audio/wav",
};

export const mediaTypeOf = ({ format }: ClipFormat): string =>
  ({ ...JOB_MEDIA_TYPES, ...TELEPHONE_TYPES })[format];

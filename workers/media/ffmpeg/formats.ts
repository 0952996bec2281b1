/**
 * What FFmpeg may read: containers by the names of its demuxers, and codecs by their ids. The decoders that it may open are
 * asked for by id, so that no list of names can differ from what the library has.
 */
import * as ids from "node-av/constants";
import { Codec } from "node-av/lib";

const CONTAINERS = [
  "wav,w64,mp3,mov,mp4,m4a,3gp,3g2,mj2,aac,ogg,flac,matroska,webm,mpeg,mpegts,mpegvideo,aiff,caf,amr,asf,avi",
  "ac3,eac3,dts,truehd,mlp,au,flv,wv,tta,loas",
].join(",");

const AMR_NB = 0x1_2000 as ids.AVCodecID; // missing in the constants

export const CODEC_IDS = [
  ids.AV_CODEC_ID_MP1,
  ids.AV_CODEC_ID_MP2,
  ids.AV_CODEC_ID_MP3,
  ids.AV_CODEC_ID_AAC,
  ids.AV_CODEC_ID_AAC_LATM,
  ids.AV_CODEC_ID_AC3,
  ids.AV_CODEC_ID_EAC3,
  ids.AV_CODEC_ID_DTS,
  ids.AV_CODEC_ID_TRUEHD,
  ids.AV_CODEC_ID_MLP,
  ids.AV_CODEC_ID_ALAC,
  ids.AV_CODEC_ID_FLAC,
  ids.AV_CODEC_ID_WAVPACK,
  ids.AV_CODEC_ID_TTA,
  ids.AV_CODEC_ID_OPUS,
  ids.AV_CODEC_ID_VORBIS,
  ids.AV_CODEC_ID_SPEEX,
  AMR_NB,
  ids.AV_CODEC_ID_AMR_WB,
  ids.AV_CODEC_ID_GSM,
  ids.AV_CODEC_ID_GSM_MS,
  ids.AV_CODEC_ID_G723_1,
  ids.AV_CODEC_ID_ADPCM_G722,
  ids.AV_CODEC_ID_ADPCM_G726,
  ids.AV_CODEC_ID_ADPCM_G726LE,
  ids.AV_CODEC_ID_ADPCM_MS,
  ids.AV_CODEC_ID_ADPCM_IMA_WAV,
  ids.AV_CODEC_ID_ADPCM_IMA_QT,
  ids.AV_CODEC_ID_ADPCM_YAMAHA,
  ids.AV_CODEC_ID_ADPCM_SWF,
  ids.AV_CODEC_ID_NELLYMOSER,
  ids.AV_CODEC_ID_WMAV1,
  ids.AV_CODEC_ID_WMAV2,
  ids.AV_CODEC_ID_WMAPRO,
  ids.AV_CODEC_ID_WMALOSSLESS,
  ids.AV_CODEC_ID_WMAVOICE,
  ids.AV_CODEC_ID_PCM_ALAW,
  ids.AV_CODEC_ID_PCM_MULAW,
  ids.AV_CODEC_ID_PCM_S8,
  ids.AV_CODEC_ID_PCM_U8,
  ids.AV_CODEC_ID_PCM_S16BE,
  ids.AV_CODEC_ID_PCM_S16LE,
  ids.AV_CODEC_ID_PCM_S24BE,
  ids.AV_CODEC_ID_PCM_S24LE,
  ids.AV_CODEC_ID_PCM_S32BE,
  ids.AV_CODEC_ID_PCM_S32LE,
  ids.AV_CODEC_ID_PCM_S64BE,
  ids.AV_CODEC_ID_PCM_S64LE,
  ids.AV_CODEC_ID_PCM_F32BE,
  ids.AV_CODEC_ID_PCM_F32LE,
  ids.AV_CODEC_ID_PCM_F64BE,
  ids.AV_CODEC_ID_PCM_F64LE,
  ids.AV_CODEC_ID_PCM_DVD,
  ids.AV_CODEC_ID_PCM_BLURAY,
] as const;

/** Of all tracks: pictures, subtitles and attachments of films, a track a person in recorders. */
export const STREAMS_MAX = 512;

/** Of its first bytes as many as there are, since sound may begin late behind pictures; only so much is kept of a long film. */
const PROBED_BYTES = 64 * 1024 * 1024;
const PROBED_MICROSECONDS = 600_000_000;

export const INPUT_OPTIONS = {
  format_whitelist: CONTAINERS,
  codec_whitelist: CODEC_IDS.map((id) => Codec.findDecoder(id)?.name ?? "").join(","), // probing would open any decoder, of pictures too
  protocol_whitelist: "none",
  max_streams: String(STREAMS_MAX),
  probesize: String(PROBED_BYTES),
  analyzeduration: String(PROBED_MICROSECONDS),
};

/** Whose frames have times that count: of the others they are made up from what was read. */
export const TIMED = ["mov", "matroska", "mpegts", "mpeg", "ogg", "asf", "flv", "flac"];
/** Of these, whose times may jump for no reason. */
export const JUMPING = ["mpegts", "mpeg"];
/** Of these, in which no sound is left out: a gap in their times is a loss. */
export const GAPLESS = ["ogg", "flac"];
/** Of bare frames, whose bytes all become sound. */
export const BARE = ["mp3", "aac", "loas", "ac3", "eac3", "dts", "truehd", "mlp", "amr", "mpegvideo"];
/** Whose length is known by their last times only; of others FFmpeg may only guess where the header is silent. */
export const MEASURED = ["mpegts", "mpeg", "flv"];

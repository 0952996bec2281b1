/**
 * One upload, decoded by FFmpeg in a process of its own. Where FFmpeg cannot be loaded, such as without a library that it
 * needs, the exit code says so: that is no fault of the upload.
 */
import { DECODE_EXIT } from "../../src/engine/media/decode-exit.ts";
import { decodeUpload } from "./source/upload.ts";

const ffmpeg = await import("./ffmpeg/ffmpeg-decoder.ts").catch(() => null);
if (ffmpeg === null) process.exit(DECODE_EXIT.unusable);
await decodeUpload(ffmpeg.decode);

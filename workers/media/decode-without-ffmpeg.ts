/**
 * One upload, decoded in its own process without FFmpeg: the formats whose decoders are under permissive licences.
 *
 *   stdin (the file) ──> blocks of samples ──> mono s16le ──> stdout         exit code: the result
 *
 * The process confines itself as the one with FFmpeg does. Decoders that are not ours run as WebAssembly, which reaches
 * nothing but its own memory.
 */
import { blocksOf } from "./blocks.ts";
import { openMonoOutput } from "./mono-output.ts";
import { decodeUpload } from "./source/upload.ts";

await decodeUpload(async ({ source, maxSamples, sampleRate, report }) => {
  const output = openMonoOutput({ maxSamples, sampleRate });
  for await (const block of blocksOf(source, sampleRate, report)) output.write(block);
  output.finish();
});

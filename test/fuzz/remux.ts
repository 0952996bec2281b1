/**
 * Puts the packets of recordings into other containers: `bun remux.ts <folder> <files and muxers as JSON>` writes a file for each
 * pair, named by its place in the list, where the container takes the codec.
 */
import { join } from "node:path";
import { AV_LOG_QUIET, AVMEDIA_TYPE_AUDIO } from "node-av/constants";
import { FormatContext, Log, Packet } from "node-av/lib";

Log.setLevel(AV_LOG_QUIET);
const [folder = "", pairs = "[]"] = process.argv.slice(2);
for (const [index, [path, muxer]] of (JSON.parse(pairs) as [string, string][]).entries())
  remux(path, muxer, join(folder, String(index)));
process.exit(0);

/** Its first track of sound. */
function remux(path: string, muxer: string, into: string): void {
  const input = new FormatContext();
  if (input.openInputSync(path) < 0 || input.findStreamInfoSync() < 0) return;
  const from = input.streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO);
  const output = new FormatContext();
  if (from === undefined || output.allocOutputContext2(null, muxer, into) < 0) return;
  const to = output.newStream(null);
  if (from.codecpar.copy(to.codecpar) < 0) return;
  to.codecpar.codecTag = 0;
  to.timeBase = from.timeBase;
  if (output.openOutputSync() < 0 || output.writeHeaderSync(null) < 0) return;
  const packet = new Packet();
  packet.alloc();
  for (; input.readFrameSync(packet) >= 0; packet.unref()) {
    if (packet.streamIndex !== from.index) continue;
    packet.streamIndex = 0;
    packet.rescaleTs(from.timeBase, to.timeBase);
    if (output.interleavedWriteFrameSync(packet) < 0) break;
  }
  output.writeTrailerSync();
  output.closeOutputSync();
}

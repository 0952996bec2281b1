/** A recording of ten minutes: how long the server takes to transcribe it alone, and how long another caller waits. */
import { transcriptOf } from "../harness/client.ts";
import { recordingOf } from "../harness/recording.ts";
import { type Row, timed } from "../harness/row.ts";
import { startServer } from "../harness/server.ts";

const SECONDS = 600;

export async function benchRecording(): Promise<Row[]> {
  await using server = await startServer();
  const [long, short] = [await recordingOf(server, SECONDS), await recordingOf(server, 5)];
  await transcriptOf(server, short); // until the engine is loaded
  const alone = await timed(() => transcriptOf(server, long));
  const besides = transcriptOf(server, long);
  await Bun.sleep(1000);
  const wait = await timed(() => transcriptOf(server, short));
  await besides;
  return [
    { name: `transcription of ${SECONDS} s`, value: alone / 1000, unit: "s", target: "at most 80" },
    { name: "transcription of 5 s while one of those runs", value: wait / 1000, unit: "s" },
  ];
}

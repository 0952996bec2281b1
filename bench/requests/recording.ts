/** A recording of ten minutes: how long the server takes to transcribe it alone, and how long another caller waits. */
import { toFloat, toInt16 } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { wavHeader } from "../../src/audio/wav.ts";
import { speak, transcriptOf } from "../harness/client.ts";
import { type Row, timed } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { textOf } from "../harness/texts.ts";

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

/** A voice that reads one text after another, at 16 kHz. */
async function recordingOf(server: Server, seconds: number): Promise<Blob> {
  const samples = new Int16Array(seconds * ASR_SAMPLE_RATE);
  for (let turn = 0, offset = 0; offset < samples.length; turn++) {
    const fields = { voice: "male-deep", input: textOf(turn), response_format: "pcm" };
    const pcm = new Int16Array(await (await speak(server, fields)).arrayBuffer());
    const part = toInt16(resample(toFloat(pcm), TTS_SAMPLE_RATE, ASR_SAMPLE_RATE));
    samples.set(part.subarray(0, samples.length - offset), offset);
    offset += part.length + ASR_SAMPLE_RATE / 2;
  }
  return new Blob([wavHeader(samples.length, ASR_SAMPLE_RATE), samples]);
}

/** What a server takes of the machine: its start, its memory, live sessions, a long recording. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toInt16, wavHeader } from "../../src/audio/pcm.ts";
import { parseWav } from "../../src/audio/reading/wav-file.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { startOf } from "../executable/start.ts";
import { clipOf, transcriptOf } from "../harness/client.ts";
import { timed } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { textOf } from "../harness/texts.ts";
import { crowd, WEIGHTS } from "../realtime/realtime.ts";
import { AFTER_WORK_MS, settledMib } from "../requests/idle.ts";
import { figure, type Group, onServer } from "./group.ts";

const SESSIONS = 100;
const RECORDING_S = 600;

export const START: Group = {
  rounds: 9,
  figures: [figure("start to listening", "ms", "at most 220")],
  async open({ command }) {
    const data = mkdtempSync(join(tmpdir(), "loquat-bench-"));
    const folders = { data, cache: join(data, "cache") };
    await startOf(command, folders); // creates the database
    return {
      measure: async () => [(await startOf(command, folders)).ms],
      close: async () => rmSync(data, { recursive: true, force: true }),
    };
  },
};

export const MEMORY: Group = {
  rounds: 3,
  figures: [
    figure("memory, idle", "MiB", "at most 130"),
    figure(`memory ${AFTER_WORK_MS / 1000} s after speech and one transcription`, "MiB", "at most 250"),
  ],
  open: async ({ command }) => ({
    async measure() {
      await using server = await startServer({}, command);
      const idle = await settledMib(server);
      await transcriptOf(server, await clipOf(server, textOf(0)));
      return [idle, await settledMib(server, AFTER_WORK_MS)];
    },
    close: async () => {},
  }),
};

export const LIVE: Group = {
  rounds: 5,
  figures: [
    figure("a live session without speech, share of a core", "%", "at most 0.33"),
    figure(`lag of ${SESSIONS} of them, p95`, "ms", "at most 250"),
  ],
  open: (checkout) =>
    onServer(
      checkout,
      async (server) => {
        const { share, lag } = await crowd(server, SESSIONS);
        return [share * 100, lag];
      },
      { LOQUAT_WEIGHTS: WEIGHTS },
    ),
};

export const RECORDING: Group = {
  rounds: 1,
  figures: [figure(`a recording of ${RECORDING_S} s`, "s", "at most 80")],
  open: (checkout) =>
    onServer(checkout, async (server) => {
      const recording = await spoken(server, RECORDING_S);
      return [(await timed(() => transcriptOf(server, recording))) / 1000];
    }),
};

const RATE = 16_000; // in 24 kHz it would be larger than an upload may be

/** So many seconds of speech, as a WAV file. */
async function spoken(server: Server, seconds: number): Promise<Blob> {
  const count = seconds * RATE;
  const parts: Int16Array<ArrayBuffer>[] = [];
  for (let made = 0, turn = 0; made < count; turn++) {
    const wav = parseWav(await (await clipOf(server, textOf(turn))).bytes(), seconds)!;
    const part = toInt16(resample(wav.samples, wav.sampleRate, RATE));
    parts.push(part.subarray(0, count - made));
    made += part.length;
  }
  return new Blob([wavHeader(count, RATE), ...parts], { type: "audio/wav" });
}

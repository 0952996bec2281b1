/**
 * Spoken turns over the socket in real time, answered by the stub of a language model (150 ms to its first token, 50 tokens a
 * second): how long after the last sample of speech the first sound of the answer comes, and how soon an interruption ends one,
 * with 1 and 8 callers at once; what 50 conversations take without a word; and the same beside Pipecat, where that can be
 * installed.
 *
 *   BENCH_TALK_TURNS=8 npm run bench -- conversation
 */
import { openStub, type Stub } from "../../test/llm-stub.ts";
import { clipOf } from "../harness/client.ts";
import { inParallel, median, quantile, type Row } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { besidePipecat } from "./beside-pipecat.ts";
import { type Caller, dial, framesOf, stream } from "./caller.ts";
import { idleConversations } from "./idle-conversations.ts";

const TURNS = Number(Bun.env.BENCH_TALK_TURNS ?? 8);
const CALLERS = [1, 8];
const PAUSE_MS = 500; // of server_vad, which decides the end of the turn
const FIRST_SOUND_MAX_MS = { p50: 600, p95: 900 };
const INTERRUPTION_MAX_MS = 300;
const CLOSED_MAX_MS = 50;
const WAV_HEADER_BYTES = 44;
const SOUND = 300; // of 32,768
const SILENCE = new Uint8Array(48_000 * 2);

/**
 * `firstSoundMs`: beyond the pause that ends the turn; `interruptedMs`: from the first sound of the speech that
 * interrupts; `closedMs`: from its event until the model's connection was closed, which only one caller at a time can tell.
 */
type Turn = { firstSoundMs: number; interruptedMs: number; closedMs: number };

export async function* benchConversation(): AsyncGenerator<Row> {
  await using stub = await openStub();
  await using server = await startServer({
    ...{ LOQUAT_THREADS: "2", LOQUAT_LLM_URL: stub.url, LOQUAT_LLM_API: "vllm", LOQUAT_LLM_MODEL: "long" },
  });
  const clip = new Uint8Array(await (await clipOf(server, "What time is it in Oslo now?")).arrayBuffer());
  const question = clip.subarray(WAV_HEADER_BYTES);
  for (const callers of CALLERS) {
    const turns: Turn[] = [];
    await inParallel(callers, callers * TURNS, async () => {
      turns.push(await turn(server, question, stub));
    });
    yield* rowsOf(turns, callers);
  }
  yield* idleConversations(server);
  yield* besidePipecat(question, TURNS);
}

function* rowsOf(turns: Turn[], callers: number): Generator<Row> {
  const sounds = turns.map(({ firstSoundMs }) => firstSoundMs);
  const interrupted = turns.map(({ interruptedMs }) => interruptedMs);
  const name = `${callers} at once`;
  const targets = callers === 1 ? FIRST_SOUND_MAX_MS : null;
  yield {
    ...{ name: `${name}: first sound beyond the pause, p50`, value: median(sounds), unit: "ms" },
    ...(targets ? { target: `at most ${targets.p50}` } : {}),
  };
  yield {
    ...{ name: `${name}: first sound, p95`, value: quantile(sounds, 0.95), unit: "ms" },
    ...(targets ? { target: `at most ${targets.p95}` } : {}),
  };
  yield {
    ...{ name: `${name}: interruption to its event, p50`, value: median(interrupted), unit: "ms" },
    ...(callers === 1 ? { target: `at most ${INTERRUPTION_MAX_MS}` } : {}),
  };
  if (callers > 1) return;
  yield {
    ...{ name: `${name}: its event to the model's connection closed, at most`, unit: "ms" },
    ...{ value: Math.max(0, ...turns.map(({ closedMs }) => closedMs)), target: `at most ${CLOSED_MAX_MS}` },
  };
}

/** A question, its answer, and a second question into the answer. */
async function turn(server: Server, question: Uint8Array, stub: Stub): Promise<Turn> {
  const caller = await dial(server, "model=assistant");
  const frames = framesOf(question);
  const first = caller.next("output_audio.delta");
  await stream(caller, frames);
  const spokenMs = performance.now();
  const quiet = keepQuiet(caller);
  const soundMs = await first;
  await quiet.stop();
  const cancelled = caller.next("response.done");
  const answering = stub.calls.at(-1)!;
  const started = caller.next("speech_started");
  const begunMs = performance.now();
  const speaking = stream(caller, frames);
  const cancelledMs = await cancelled;
  await speaking;
  caller.close();
  const closedMs = answering.closedAtMs === null ? Number.NaN : answering.closedAtMs - (await started);
  return {
    closedMs,
    firstSoundMs: soundMs - spokenMs - PAUSE_MS,
    interruptedMs: cancelledMs - begunMs - silentMs(question),
  };
}

/** Before the first sound of pcm at 24 kHz. */
function silentMs(pcm: Uint8Array): number {
  const samples = new Int16Array(pcm.slice().buffer);
  return samples.findIndex((sample) => Math.abs(sample) > SOUND) / 24;
}

/** A microphone also sends silence. */
function keepQuiet(caller: Caller): { stop(): Promise<void> } {
  let isOver = false;
  const [frame] = framesOf(SILENCE);
  const sending = (async () => {
    while (!isOver) {
      caller.send(frame!);
      await Bun.sleep(100);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await sending;
    },
  };
}

/** What 50 conversations take without a word: of a core, and of memory, beyond what the server takes without them. */
import { cpuSeconds, residentKib } from "../harness/process.ts";
import type { Row } from "../harness/row.ts";
import type { Server } from "../harness/server.ts";
import { type Caller, dial, framesOf, stream } from "./caller.ts";

const COUNT = 50;
const FIRST = 5;
const SECONDS = 10;
const CPU_MAX = 5; // percent of a core, of all
const MEMORY_MAX = 2; // MiB, of each
const SILENCE = new Uint8Array(48_000 * SECONDS);

export async function* idleConversations(server: Server): AsyncGenerator<Row> {
  close(await open(server, FIRST)); // what they load stays
  await Bun.sleep(SECONDS * 1000);
  const [kib, alone] = [residentKib(server.pid), await shareOf(server, waiting)];
  const callers = await open(server, COUNT);
  const idle = (await shareOf(server, waiting)) - alone;
  const taken = residentKib(server.pid) - kib;
  const silent = (await shareOf(server, () => sendSilence(callers))) - alone;
  close(callers);
  const name = `${COUNT} idle`;
  yield { name: `${name}: of a core`, value: idle, unit: "%", target: `at most ${CPU_MAX}` };
  yield {
    name: `${name}: memory of each`,
    value: taken / COUNT / 1024,
    unit: "MiB",
    target: `at most ${MEMORY_MAX}`,
  };
  yield { name: `${COUNT} that send silence: of a core`, value: silent, unit: "%" };
}

/** With settings, as stock clients begin. */
async function open(server: Server, length: number): Promise<Caller[]> {
  const session = {
    type: "realtime",
    instructions: "Be kind.",
    audio: { input: { turn_detection: { type: "server_vad" } } },
  };
  return Promise.all(
    Array.from({ length }, async () => {
      const caller = await dial(server, "model=assistant");
      const updated = caller.next("session.updated");
      caller.send(JSON.stringify({ type: "session.update", session }));
      await updated;
      return caller;
    }),
  );
}

function close(callers: Caller[]): void {
  for (const caller of callers) caller.close();
}

const waiting = () => Bun.sleep(SECONDS * 1000);

async function sendSilence(callers: Caller[]): Promise<void> {
  const frames = framesOf(SILENCE);
  await Promise.all(callers.map((caller) => stream(caller, frames)));
}

/** Percent of a core, while this goes on. */
async function shareOf({ pid }: Server, work: () => Promise<void>): Promise<number> {
  const [begun, before] = [performance.now(), cpuSeconds(pid)];
  await work();
  return ((cpuSeconds(pid) - before) / (performance.now() - begun)) * 100_000;
}

/** Speech of two servers that answer in turns: one with its own engines, one that has another do the work. */
import { inParallel, median, type Row } from "../harness/row.ts";
import type { Server } from "../harness/server.ts";
import { textOf } from "../harness/texts.ts";
import { rateOf, speak, whole } from "./speech.ts";

const CALLERS = 8;
const ROUNDS = 5;
const TURNS = 16; // of a round

type Servers = { direct: Server; through: Server };

/** `road`: what is between the second server and its engines, such as "an engine node". */
export async function compareServers(servers: Servers, road: string): Promise<Row[]> {
  for (const server of Object.values(servers))
    await inParallel(4, 8, async (turn) => void (await whole(server, textOf(turn))));
  return compare(servers, road);
}

async function compare({ direct: local, through: remote }: Servers, road: string): Promise<Row[]> {
  const waits: Record<"local" | "remote", number[]> = { local: [], remote: [] };
  const rates: Record<"local" | "remote", number[]> = { local: [], remote: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (let turn = 0; turn < TURNS; turn++) {
      waits.local.push(await firstAudio(local, textOf(turn)));
      waits.remote.push(await firstAudio(remote, textOf(turn)));
    }
    rates.local.push(await rateOf(CALLERS, (text) => whole(local, text), TURNS));
    rates.remote.push(await rateOf(CALLERS, (text) => whole(remote, text), TURNS));
  }
  const [direct, through] = [median(waits.local), median(waits.remote)];
  const throughput = median(rates.remote.map((rate, round) => rate / rates.local[round]!));
  return [
    { name: "first audio, 1 caller, its own engines, p50", value: direct, unit: "ms" },
    { name: `first audio, 1 caller, through ${road}, p50`, value: through, unit: "ms" },
    {
      name: `first audio, added by ${road}`,
      value: through - direct,
      unit: "ms",
      target: "at most 15",
    },
    {
      name: `synthesis, ${CALLERS} callers, its own engines`,
      value: median(rates.local),
      unit: "x realtime",
    },
    {
      name: `synthesis, ${CALLERS} callers, through ${road}`,
      value: median(rates.remote),
      unit: "x realtime",
    },
    { name: "synthesis, ratio of the two", value: throughput, unit: "x", target: "at least 0.9" },
  ];
}

/** Milliseconds. */
async function firstAudio(server: Server, input: string): Promise<number> {
  const begunMs = performance.now();
  const response = await speak(server, { input, response_format: "pcm", stream: true });
  let waitedMs: number | null = null;
  for await (const _chunk of response.body!) waitedMs ??= performance.now() - begunMs;
  return waitedMs ?? Number.NaN;
}

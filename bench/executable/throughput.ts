/** Requests a second of an executable and of the checkout, in turns on the same machine. */
import { clipOf } from "../harness/client.ts";
import { inParallel, median, type Row, timed } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { textOf } from "../harness/texts.ts";
import { requestsPerSecond } from "../requests/models.ts";

const ROUNDS = 7;
const CALLERS = 8;
const SPEECHES = 40;

type Measure = (server: Server) => Promise<number>;

const models: Measure = ({ url, key }) =>
  requestsPerSecond({ port: Number(new URL(url).port), path: "/v1/models", key });

const speeches: Measure = async (server) => {
  const ms = await timed(() =>
    inParallel(CALLERS, SPEECHES, async (turn) => void (await clipOf(server, textOf(turn)))),
  );
  return SPEECHES / (ms / 1000);
};

export async function benchThroughput(command: readonly string[], cache: string): Promise<Row[]> {
  await using packed = await startServer({ LOQUAT_CACHE: cache }, command);
  await using checkout = await startServer();
  return [
    ...(await compare("GET /v1/models", models, { packed, checkout })),
    ...(await compare(`speech, ${CALLERS} callers`, speeches, { packed, checkout })),
  ];
}

async function compare(
  name: string,
  measure: Measure,
  { packed, checkout }: { packed: Server; checkout: Server },
): Promise<Row[]> {
  const rates = { packed: [] as number[], checkout: [] as number[] };
  for (const server of [packed, checkout]) await measure(server); // compiled, engines loaded
  for (let round = 0; round < ROUNDS; round++) {
    rates.packed.push(await measure(packed));
    rates.checkout.push(await measure(checkout));
  }
  const ratio = median(rates.packed) / median(rates.checkout);
  return [
    { name, value: median(rates.packed), unit: "requests/s" },
    { name: "the same by the checkout", value: median(rates.checkout), unit: "requests/s" },
    { name: `${name}, ratio to the checkout`, value: ratio, unit: "x", target: "at least 0.97" },
  ];
}

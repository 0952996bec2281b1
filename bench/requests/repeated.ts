/**
 * What it costs that a request may be sent again: requests with an Idempotency-Key of their own, and as OpenAI's
 * libraries send them, against requests without either, in turns at one server.
 *
 * Each has another header of the same length in its place, so that the client's part is the same.
 */
import { withDatabase } from "../harness/postgres.ts";
import { median, type Row } from "../harness/row.ts";
import { post } from "../harness/wire.ts";
import { BODY, ONE, REDIS, ROUNDS, start, type Target } from "./metered.ts";

type Headers = (turn: number) => string;
const KINDS: Record<string, Headers> = {
  plain: (turn) => `X-Plain-Header-Of: ${numbered(turn)}`,
  key: (turn) => `Idempotency-Key: ${numbered(turn)}`,
  library: () => "X-Stainless-Retry-Count: 0",
};
const numbered = (turn: number) => `order-${String(turn).padStart(12, "0")}`;

export async function benchRepeated(): Promise<Row[]> {
  return [
    ...(await ratios("SQLite", {})),
    ...(await withDatabase((url) => ratios("PostgreSQL and Redis", { DATABASE_URL: url, REDIS_URL: REDIS }))),
  ];
}

async function ratios(stores: string, environment: Record<string, string>): Promise<Row[]> {
  await using target = await start(ONE, environment);
  const rates: Record<string, number[]> = { plain: [], key: [], library: [] };
  for (let round = 0; round <= ROUNDS; round++)
    for (const [kind, headers] of Object.entries(KINDS)) {
      const rate = await rateOf(target, headers);
      if (round > 0) rates[kind]!.push(rate); // before that, what is hot is compiled
    }
  const row = (name: string, value: number, unit: string): Row => ({
    name: `${stores}: ${name}`,
    value,
    unit,
  });
  const ratioOf = (kind: string) => median(rates[kind]!.map((rate, round) => rate / rates.plain![round]!));
  return [
    row("saturation without either", median(rates.plain!), "requests/s"),
    row("saturation with an Idempotency-Key, ratio", ratioOf("key"), "x"),
    row("saturation as OpenAI's libraries, ratio", ratioOf("library"), "x"),
  ];
}

let turns = 0;

function rateOf(target: Target, headers: Headers): Promise<number> {
  return target.saturation((key) => {
    const [first, ...rest] = new TextDecoder().decode(post("/v1/audio/speech", key, BODY)).split("\r\n");
    return new TextEncoder().encode([first, headers(turns++), ...rest].join("\r\n"));
  });
}

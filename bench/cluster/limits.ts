/** Whether the limits of an organization hold over several nodes: requests a minute, and requests at once. */
import type { Row } from "../harness/row.ts";
import type { Server } from "../harness/server.ts";
import { type StandInEngine, speak } from "./stand-in-engine.ts";

const PER_MINUTE = 60;
const AT_ONCE = 10;
const ASKED = 200;
const ROUNDS = 10; // of requests at once
const MANY = "100000";

export async function benchLimits(
  server: Server,
  urls: readonly string[],
  engine: StandInEngine,
): Promise<Row[]> {
  const minute = await organization(server, { requests: String(PER_MINUTE), concurrency: MANY });
  const begunMs = performance.now();
  const admitted = await admittedOf(urls, minute);
  const refilled = Math.floor(((performance.now() - begunMs) / 60_000) * PER_MINUTE);
  const slots = await organization(server, { requests: MANY, concurrency: String(AT_ONCE) });
  engine.reset();
  for (let round = 0; round < ROUNDS; round++) await admittedOf(urls, slots);
  return [
    {
      name: `admitted of ${ASKED} at once on ${urls.length} nodes, ${PER_MINUTE} a minute`,
      value: admitted,
      unit: "",
      target: `at most ${PER_MINUTE + refilled}`,
    },
    { name: "the same", value: admitted, unit: "", target: `at least ${PER_MINUTE}` },
    {
      name: `most at once on ${urls.length} nodes, ${AT_ONCE} at once`,
      value: engine.most(),
      unit: "",
      target: `at most ${AT_ONCE}`,
    },
    { name: "the same", value: engine.most(), unit: "", target: `at least ${AT_ONCE}` },
  ];
}

/** The key of a new organization, whose limits no request has touched. */
async function organization(
  server: Server,
  limits: { requests: string; concurrency: string },
): Promise<string> {
  const { id } = await server.loquat<{ id: string }>("org", "create", "Limited");
  const options = Object.entries(limits).flatMap(([name, value]) => [`--${name}`, value]);
  const most = ["--characters", "100000000", "--monthly", "none"];
  await server.loquat("org", "set-limits", id, ...options, ...most);
  await server.loquat("credit", "grant", "1000", "--org", id);
  const { secret } = await server.loquat<{ secret: string }>("keys", "create", "--org", id);
  return secret;
}

async function admittedOf(urls: readonly string[], key: string): Promise<number> {
  const asked = Array.from({ length: ASKED }, (_, turn) => speak(urls[turn % urls.length]!, key));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  const others = statuses.filter((status) => status !== 200 && status !== 429);
  if (others.length > 0) throw new Error(`a node answered ${others[0]}`);
  return statuses.filter((status) => status === 200).length;
}

/** What of the time of GET /v1/models is its headers, the framework and the check of a key. */
import { median, type Row } from "../harness/row.ts";
import { startServer } from "../harness/server.ts";
import { requestsPerSecond } from "../requests/models.ts";
import type { Kind, Served } from "./served.ts";
import { startServed } from "./start-served.ts";

const ROUNDS = 7;
/** Made by the runtime itself. */
const BY_RUNTIME = new Set(["date", "content-length"]);

const NAMES: Record<Kind, string> = {
  bare: "a bare server",
  headers: "with the headers of the API",
  framework: "with these and the framework",
  checked: "with these, the framework and the hash of a key",
};

export async function frameworkFloors(): Promise<Row[]> {
  await using server = await startServer();
  const { key, url } = server;
  const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !BY_RUNTIME.has(name)));
  const served: Served = { body: await response.text(), headers };
  const kinds = Object.keys(NAMES) as Kind[];
  const servers = kinds.map((kind) => startServed(kind, served));
  const ports = [...(await Promise.all(servers.map(({ port }) => port))), Number(new URL(url).port)];
  const rates = ports.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, port] of ports.entries())
      rates[index]!.push(await requestsPerSecond({ port, path: "/v1/models", key }));
  for (const { stop } of servers) stop();
  const [bare, ...others] = rates.map(median);
  const names = [...kinds.slice(1).map((kind) => NAMES[kind]), "GET /v1/models"];
  return names.map((name, index) => ({
    name: `${name}, ratio to bare`,
    value: others[index]! / bare!,
    unit: "x",
  }));
}

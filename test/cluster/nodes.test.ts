/** Promise: every response, log line and scrape of metrics names the node, and `loquat doctor` lists them all. */
import { afterAll, expect, test } from "bun:test";
import { type Cli, openCli } from "../cli/process.ts";
import { openPostgres } from "../faults/server-fixture.ts";
import { until } from "../until.ts";

const server = await openPostgres();
const clis: Cli[] = [];
const unlessPostgres = server ? "" : " (skipped: no PostgreSQL at 127.0.0.1:5432)";
afterAll(async () => {
  for (const cli of clis) cli[Symbol.dispose]();
  await server?.[Symbol.asyncDispose]();
});

const nodesOf = async (url: string) =>
  Number(/^loquat_nodes (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);

test.skipIf(!server)(`two servers on one database are two nodes${unlessPostgres}`, async () => {
  const serve = (LOQUAT_NODE: string) => {
    const cli = openCli();
    clis.push(cli);
    return cli.serve({ DATABASE_URL: server!.url, LOQUAT_NODE });
  };
  const [one, other] = [await serve("one"), await serve("other")];
  for (const [name, { url }] of [
    ["one", one],
    ["other", other],
  ] as const) {
    for (const path of ["/healthz", "/v1/nothing", "/"]) {
      const response = await fetch(url + path);
      expect(response.headers.get("x-loquat-node")).toBe(name);
    }
    await until(async () => (await nodesOf(url)) === 2);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain(`loquat_node_info{node="${name}"} 1`);
  }
  const environment = { DATABASE_URL: server!.url };
  const { out } = await clis[0]!.run(["doctor"], environment);
  expect(out).toContain(`node one at ${one.url}`);
  expect(out).toContain(`node other at ${other.url}`);
  expect(await other.stop()).toBe(0);
  const lines = other.complained().trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).node)).toEqual(lines.map(() => "other"));
  const { nodes } = JSON.parse((await clis[0]!.run(["doctor", "--json"], environment)).out).nodes;
  expect(nodes).toMatchObject([{ id: "one", draining: false }]);
});

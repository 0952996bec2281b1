/** Promise: operators manage where events of the server are sent without a browser. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openReceiver } from "../webhooks/receiver.ts";
import { type Cli, openCli } from "./process.ts";

let cli: Cli;
let server: Awaited<ReturnType<Cli["serve"]>>;
beforeAll(async () => {
  cli = openCli();
  server = await cli.serve({ LOG_LEVEL: "silent" });
});
afterAll(async () => {
  await server.stop();
  cli[Symbol.dispose]();
});

const json = async (...args: string[]) => JSON.parse((await cli.runInTurn([...args, "--json"])).out);
const refusal = async (...args: string[]) => {
  const { code, out, err } = await cli.runInTurn(args);
  expect(out).toBe("");
  return { code, err: err.split("\n")[0]! };
};

describe("webhooks of the server", () => {
  test("an endpoint is added, listed, tested and removed", async () => {
    using receiver = openReceiver();
    const open = { LOQUAT_OUTBOUND_NETWORKS: "127.0.0.0/8" };
    const run = (...args: string[]) => cli.runInTurn(["webhook", ...args], open);
    const added = await run("add", receiver.url, "--name", "Pager", "--event", "node.lost", "--json");
    expect(added).toMatchObject({ code: 0, err: "" });
    const { id, signing_secret: secret } = JSON.parse(added.out);
    expect(secret).toStartWith("whsec_");
    expect((await json("webhook", "list")).data).toMatchObject([
      { id, name: "Pager", event_types: ["node.lost"], status: "enabled" },
    ]);
    expect((await run("test", id)).out).toBe(`${receiver.url} answered 204 to node.lost.\n`);
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
      type: "node.lost",
      organization_id: null,
    });
    expect((await run("remove", id)).code).toBe(0);
    expect((await json("webhook", "list")).data).toEqual([]);
  });

  test("addresses that are not public, events of organizations and unknown endpoints are refused", async () => {
    expect(await refusal("webhook", "add", "http://127.0.0.1:9/")).toMatchObject({ code: 1 });
    const other = await refusal("webhook", "add", "https://8.8.8.8/", "--event", "api_key.created");
    expect(other).toEqual({ code: 2, err: expect.stringContaining("api_key.created") });
    expect(await refusal("webhook", "remove", "whe_1")).toEqual({
      ...{ code: 2, err: 'There is no webhook endpoint whe_1. "loquat webhook list" lists them.' },
    });
  });
});

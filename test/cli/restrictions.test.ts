/** Promise: what keys and projects may use at most is set on the command line as in the management API. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Cli, openCli } from "./process.ts";

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  const server = await cli.serve(); // creates the data directory
  await server.stop();
});
afterAll(() => cli[Symbol.dispose]());

const json = async (...args: string[]) => {
  const { code, out, err } = await cli.runInTurn([...args, "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
};

describe("restrictions", () => {
  const NOTHING = { budget: null, limits: null, models: null, voices: null, addresses: null };

  test("of a key are set by options, one by one or at once, and removed", async () => {
    const options = ["--budget", "20/month", "--requests", "60", "--models", "svc-tts1, svc-stt1"];
    const { id, restrictions } = await json("keys", "create", ...options, "--addresses", "203.0.113.0/24");
    expect(restrictions).toEqual({
      budget: { limit_micros: 20_000_000, interval: "month" },
      limits: { requests_per_minute: 60 },
      models: { mode: "allow_list", ids: ["svc-tts1", "svc-stt1"] },
      voices: null,
      addresses: ["203.0.113.0/24"],
    });
    const less = await json(
      "keys",
      "set",
      id,
      "--models",
      "none",
      "--requests",
      "none",
      "--concurrency",
      "2",
    );
    expect(less.restrictions).toEqual({
      ...restrictions,
      models: null,
      limits: { concurrent_requests: 2 },
    });
    expect(await cli.runInTurn(["keys", "set", id, "--name", "new"])).toMatchObject({
      out: `${id}: $20.00 a month; 2 requests at once; only from 203.0.113.0/24\n`,
    });
    const given = JSON.stringify({ budget: { limit_micros: 5, interval: "total" } });
    expect((await json("keys", "set", id, "--restrictions", given)).restrictions).toEqual({
      ...NOTHING,
      budget: { limit_micros: 5, interval: "total" },
    });
    expect((await json("keys", "set", id, "--reset-budget")).restrictions.budget.limit_micros).toBe(5);
    expect((await json("keys", "set", id, "--restrictions", "none")).restrictions).toBeNull();
    expect(await cli.runInTurn(["keys", "set", id])).toMatchObject({ out: `${id}: not restricted\n` });
  });

  test("of a project are its keys' too where it says so", async () => {
    const { data } = await json("project", "list");
    const { id } = data[0];
    const keys = JSON.stringify({ limits: { requests_per_minute: 5 } });
    const options = ["--budget", "1.50/day", "--default-key-restrictions", keys];
    expect(await json("project", "set", id, ...options)).toMatchObject({
      restrictions: { ...NOTHING, budget: { limit_micros: 1_500_000, interval: "day" } },
      default_key_restrictions: { ...NOTHING, limits: { requests_per_minute: 5 } },
    });
    expect((await json("keys", "create")).restrictions.limits).toEqual({ requests_per_minute: 5 });
    const none = ["--budget", "none", "--default-key-restrictions", "none"];
    expect(await json("project", "set", id, ...none)).toMatchObject({
      restrictions: null,
      default_key_restrictions: null,
    });
  });

  test("budgets are listed with what is used of them", async () => {
    const { id, budget_period: period } = await json("keys", "create", "--budget", "0/total");
    expect(period).toEqual({
      ...{ began_at: expect.any(Number), begins_again_at: null, used_micros: 0, state: "reached" },
    });
    const { out } = await cli.runInTurn(["keys", "list"]);
    expect(out).toMatch(/LAST USED +BUDGET USED\n/);
    expect(out).toMatch(new RegExp(`${id}.*never +\\$0\\.00 of \\$0\\.00 in total \\(reached\\)\n`));
    const listed = (await json("keys", "list")).data.find((each: { id: string }) => each.id === id);
    expect(listed.budget_period).toEqual(period);
    const [project] = (await json("project", "list")).data;
    expect((await cli.runInTurn(["project", "list"])).out).not.toContain("BUDGET");
    await json("project", "set", project.id, "--budget", "2/day");
    expect((await cli.runInTurn(["project", "list"])).out).toMatch(/yes +\$0\.00 of \$2\.00 a day\n/);
    await json("project", "set", project.id, "--budget", "none");
  });

  test.each([
    [["--budget", "20/year"], "such as 20/month"],
    [["--budget", "-5"], "such as 5 or 2.50"],
    [["--requests", "0"], "limits.requests_per_minute must be from 1 to 1000000000, not 0."],
    [["--restrictions", "{"], "Expected JSON"],
    [["--restrictions", '{"budgets": 1}'], "budgets is not a known field."],
    [["--addresses", "example.com"], "must be an IP address or a network"],
  ])("that cannot be meant are refused: %p", async (options, says) => {
    const { code, out, err } = await cli.runInTurn(["keys", "create", ...options]);
    expect([code > 0, out]).toEqual([true, ""]);
    expect(err).toContain(says);
  });
});

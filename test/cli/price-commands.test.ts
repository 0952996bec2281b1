/** Promise: what organizations pay can be set, and their monthly accounts read, without a browser. */
import { afterAll, beforeAll, expect, test } from "bun:test";
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

const json = async (...args: string[]) => {
  const { code, out, err } = await cli.runInTurn([...args, "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
};

test("set-price-factor sets it at once, or from a day on", async () => {
  const { id } = await json("org", "create", "Resold");
  expect(await json("org", "set-price-factor", id, "0.85")).toMatchObject({
    ...{ price_factor: 0.85, next_price_factor: null },
  });
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  expect(await json("org", "set-price-factor", id, "0", "--from", day)).toMatchObject({
    ...{ price_factor: 0.85, price_factor_from: Date.parse(day) / 1000, next_price_factor: 0 },
  });
  for (const wrong of ["11", "-1", "0.12345", "1e-1"])
    expect((await cli.runInTurn(["org", "set-price-factor", "--", id, wrong])).err).toContain("from 0 to 10");
  for (const [from, message] of [
    ["2026-01-01", "must lie in the future"],
    ["soon", "Expected a day"],
  ] as const)
    expect((await cli.runInTurn(["org", "set-price-factor", id, "1", "--from", from])).err).toContain(
      message,
    );
  expect((await json("org", "list")).data.find((one: { id: string }) => one.id === id)).toMatchObject({
    ...{ price_factor: 0.85, next_price_factor: 0 },
  });
});

test("prices sets what a model costs from a day on, lists and removes it", async () => {
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const set = await json("prices", "set", "svc-tts1", "7.5", "--from", day);
  expect(set).toMatchObject({ unit_price_micros: 7_500_000, valid_from: Date.parse(day) / 1000 });
  const free = await cli.runInTurn(["prices", "set", "svc-stt1", "0"]);
  expect(free.out).toBe("svc-stt1 costs $0.00 now.\n");
  const { out } = await cli.runInTurn(["prices", "list"]);
  expect(out).toMatch(new RegExp(`^svc-tts1 +characters +.*\\$7\\.50 from ${day}$`, "m"));
  expect(out).toMatch(/^svc-stt1 +seconds +\$0\.00 +\$0\.00/m);
  expect((await cli.runInTurn(["prices", "remove", "svc-tts1", day])).code).toBe(0);
  expect((await cli.runInTurn(["prices", "remove", "svc-tts1", day])).err).toContain(
    "has no price from then on",
  );
  for (const [args, message] of [
    [["svc-tts99", "1"], "the catalogue has no such model"],
    [["svc-tts1", "-1"], "Expected an amount"],
    [["svc-tts1", "20000"], "must be a whole number of micros"],
    [["svc-tts1", "1", "--from", "2026-01-01"], "must lie in the future"],
  ] as const)
    expect(
      (await cli.runInTurn(["prices", "set", "--", ...args])).err +
        (await cli.runInTurn(["prices", "set", ...args])).err,
    ).toContain(message);
});

test("accounts tells what became of credit in a month, as a table, as JSON in micros and as CSV in dollars", async () => {
  const { id } = await json("org", "create", "Booked");
  await json("credit", "grant", "2.5", "--org", id);
  const month = new Date().toISOString().slice(0, 7);
  const { data, totals } = await json("accounts", "--month", month);
  const booked = data.find((one: { organization_id: string }) => one.organization_id === id);
  expect(booked).toMatchObject({ organization_name: "Booked", given_micros: 2_500_000 });
  expect(totals.given_micros).toBeGreaterThanOrEqual(2_500_000);
  const table = await cli.runInTurn(["accounts", "--month", month]);
  expect(table.out).toMatch(/^Booked +\$0\.00 +\$0\.00 +\$2\.50 +\$0\.00 +\$0\.00 +\$0\.00 +\$2\.50$/m);
  const [header, ...rows] = (await cli.runInTurn(["accounts", "--month", month, "--csv"])).out.split("\r\n");
  const names = header!.split(",");
  const cells = rows.find((row) => row.includes(id))!.split(",");
  expect(cells).toHaveLength(names.length);
  expect(cells[names.indexOf('"closing_given_usd"')]).toBe("2.5");
  for (const wrong of ["2099-01", "November", "2026-13"])
    expect((await cli.runInTurn(["accounts", "--month", wrong])).code).toBe(2);
});

/** Promise: organizations, projects, keys, credit and usage can be managed without a browser. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { until } from "../until.ts";
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
const refusal = async (...args: string[]) => {
  const { code, out, err } = await cli.runInTurn(args);
  expect(out).toBe("");
  return { code, err: err.split("\n")[0]! };
};
const SPEAK_MS = 500; // the requests of an organization are limited
const speak = async (key: string, input = "Go on.") => {
  const response = await fetch(`${server.url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input, response_format: "pcm" }),
  });
  await response.arrayBuffer();
  return response;
};

describe("organizations", () => {
  test("a new organization has the free tier and no credit", async () => {
    const created = await json("org", "create", "Acme");
    expect(created).toMatchObject({
      name: "Acme",
      plan: "prepaid",
      tier: "free",
      requests: 20,
      concurrency: 2,
    });
    expect(created.id).toMatch(/^org_[0-9a-z]{24}$/);
    const { data } = await json("org", "list");
    expect(data.map(({ name }: { name: string }) => name)).toContain("Acme");
    expect(await json("credit", "balance", "--org", created.id)).toMatchObject({ balance_micros: 0 });
  });

  test("a name with control characters is listed with their numbers", async () => {
    await json("org", "create", "A\u001bc");
    const { out } = await cli.run(["org", "list"]);
    expect(out).toContain("A\\u001bc");
    expect(out).not.toContain("\u001bc");
  });

  test("set-limits overrides limits until --reset", async () => {
    const { id } = await json("org", "create", "Wide");
    const set = ["--requests", "500", "--seconds", "10", "--monthly", "2.50", "--running-jobs", "4"];
    expect(await json("org", "set-limits", id, ...set)).toMatchObject({
      requests: 500,
      concurrency: 2,
      seconds: 10,
      ...{ waiting_jobs: 5, running_jobs: 4, job_seconds: 43_200, stored_bytes: 2_000_000_000 },
      monthly_spending_limit_micros: 2_500_000,
    });
    const reset = await json("org", "set-limits", id, "--reset", "--monthly", "none");
    expect(reset).toMatchObject({ requests: 20, seconds: 1800, monthly_spending_limit_micros: null });
  });

  test("an operator's organization is unmetered unless LOQUAT_PLAN or payments make it prepaid", async () => {
    const planWith = async (environment: Record<string, string>) =>
      JSON.parse((await cli.run(["org", "create", "Planned", "--json"], environment)).out).plan;
    expect(await planWith({ LOQUAT_PLAN: "unmetered" })).toBe("unmetered");
    const stripe = { STRIPE_SECRET_KEY: "sk", STRIPE_WEBHOOK_SECRET: "whsec" };
    expect(await planWith({ LOQUAT_PLAN: "unmetered", ...stripe })).toBe("unmetered");
    expect(await planWith({ LOQUAT_PLAN: "prepaid" })).toBe("prepaid");
  });

  test("set-plan changes the limits, and grants the starting credit once", async () => {
    const { id } = await json("org", "create", "Moving");
    const requests = 6000 * navigator.hardwareConcurrency;
    expect(await json("org", "set-plan", id, "unmetered")).toMatchObject({ plan: "unmetered", requests });
    expect(await json("credit", "balance", "--org", id)).toMatchObject({ balance_micros: 0 });
    for (const plan of ["prepaid", "unmetered", "prepaid"])
      expect(await json("org", "set-plan", id, plan)).toMatchObject({ plan });
    expect(await json("credit", "balance", "--org", id)).toMatchObject({ balance_micros: 5_000_000 });
    expect((await json("org", "list")).data.find((one: { id: string }) => one.id === id)).toMatchObject({
      plan: "prepaid",
      requests: 20,
    });
  });

  test("suspend refuses the keys of an organization, resume accepts them, and the first organization cannot be suspended", async () => {
    const { id } = await json("org", "create", "Paused");
    await json("credit", "grant", "1", "--org", id);
    const { secret } = await json("keys", "create", "--org", id);
    expect((await speak(secret)).status).toBe(200);
    expect(await json("org", "suspend", id)).toMatchObject({ id, status: "suspended" });
    await until(async () => (await speak(secret)).status === 403, SPEAK_MS); // keys are cached for a second
    expect(await json("org", "resume", id)).toMatchObject({ id, status: "active" });
    await until(async () => (await speak(secret)).status !== 403, SPEAK_MS);
    const [first] = (await json("org", "list")).data;
    expect(await refusal("org", "suspend", first.id)).toMatchObject({
      err: "The first organization of a server cannot be suspended.",
    });
  });

  test("delete refuses the keys of an organization, --undo accepts them, and --now has the server delete it", async () => {
    const { id } = await json("org", "create", "Leaving");
    const { secret } = await json("keys", "create", "--org", id);
    const asked = await json("org", "delete", id);
    expect(asked).toMatchObject({ id, status: "suspended" });
    expect(asked.delete_at - Date.now() / 1000).toBeCloseTo(7 * 86_400, -2);
    await until(async () => (await speak(secret)).status === 403, SPEAK_MS);
    expect(await json("org", "delete", id, "--undo")).toMatchObject({ status: "active", delete_at: null });
    expect(await refusal("org", "delete", id, "--undo", "--now")).toMatchObject({ code: 2 });
    await json("org", "delete", id, "--now");
    await until(async () => {
      const { data } = await json("org", "list");
      return data.find((one: { id: string }) => one.id === id)?.status === "deleted";
    }, SPEAK_MS);
    await until(async () => (await speak(secret)).status === 401, SPEAK_MS); // the server keeps a key for a second
    const [first] = (await json("org", "list")).data;
    expect(await refusal("org", "delete", first.id)).toMatchObject({
      err: "The first organization of a server cannot be deleted.",
    });
  });

  test("set-plan refuses an unknown plan and an unknown organization", async () => {
    expect(await refusal("org", "set-plan", "org_nobody", "unmetered")).toEqual({
      code: 2,
      err: "There is no organization org_nobody.",
    });
    expect(await refusal("org", "set-plan", "org_nobody", "free")).toMatchObject({ code: 2 });
  });

  test.each([
    ["--requests <number>", "many", "Expected a whole number."],
    ["--running-jobs <number>", "9", "It must be a whole number from 1 to 8."],
    ["--monthly <dollars|none>", "1e9", "Expected an amount in US dollars, such as 5 or 2.50."],
  ])("set-limits rejects an invalid %s", async (option, value, reason) => {
    const { id } = await json("org", "create", "Refused");
    expect(await refusal("org", "set-limits", id, option.split(" ")[0]!, value)).toEqual({
      code: 2,
      err: `Option '${option}' argument '${value}' is invalid. ${reason}`,
    });
  });

  test("an unknown organization is reported", async () => {
    const unknown = { code: 2, err: "There is no organization org_unknown." };
    expect(await refusal("org", "set-limits", "org_unknown", "--requests", "1")).toEqual(unknown);
    expect(await refusal("credit", "balance", "--org", "org_unknown")).toEqual(unknown);
  });
});

describe("projects", () => {
  test("projects can be created, listed and archived; keys of an archived project are rejected", async () => {
    const created = await json("project", "create", "Podcast");
    expect(created).toMatchObject({ name: "Podcast", status: "active", is_default: false });
    const key = await json("keys", "create", "--project", created.id);
    expect((await speak(key.secret)).status).toBe(200);
    expect(await json("project", "archive", created.id)).toMatchObject({ status: "archived" });
    const { data } = await json("project", "list");
    expect(data.map(({ name, status }: { name: string; status: string }) => [name, status])).toEqual([
      ["Default", "active"],
      ["Podcast", "archived"],
    ]);
    await until(async () => (await speak(key.secret)).status === 401, SPEAK_MS); // keys are cached for a second
    expect(await refusal("keys", "create", "--project", created.id)).toMatchObject({ code: 1 });
  });

  test("a project name is unique, and the default project cannot be archived", async () => {
    await json("project", "create", "Twice");
    expect((await refusal("project", "create", "Twice")).code).toBe(1);
    const { data } = await json("project", "list");
    expect((await refusal("project", "archive", data[0].id)).code).toBe(1);
    expect((await refusal("project", "archive", "proj_unknown")).code).not.toBe(0);
  });
});

describe("keys", () => {
  test("a rotated key stays valid for its grace period", async () => {
    const old = await json("keys", "create", "--name", "rotated");
    const fresh = await json("keys", "rotate", old.id, "--grace", "60");
    expect(fresh).toMatchObject({ name: "rotated", scopes: old.scopes });
    expect([(await speak(old.secret)).status, (await speak(fresh.secret)).status]).toEqual([200, 200]);
    const last = await json("keys", "rotate", fresh.id);
    await until(async () => (await speak(fresh.secret)).status === 401, SPEAK_MS);
    expect((await speak(last.secret)).status).toBe(200);
    expect((await refusal("keys", "rotate", fresh.id)).code).toBe(1);
  });

  test("a key created with --days expires", async () => {
    const { expires_at: end, created_at: begin } = await json("keys", "create", "--days", "2");
    expect(end - begin).toBe(2 * 86_400);
  });
});

describe("credit and usage", () => {
  test("credit with the same idempotency key is granted once", async () => {
    const { id } = await json("org", "create", "Repeated");
    const grant = (dollars: string) => [
      "credit",
      "grant",
      dollars,
      "--org",
      id,
      "--idempotency-key",
      "november",
    ];
    for (let turn = 0; turn < 2; turn++)
      expect(await json(...grant("5"))).toMatchObject({ balance_micros: 5_000_000 });
    const { code, err } = await refusal(...grant("6"));
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("--idempotency-key") });
  });

  test("the balance is what was granted less what was used", async () => {
    const { id } = await json("org", "create", "Spender");
    const [project] = (await json("project", "list", "--org", id)).data;
    const { secret } = await json("keys", "create", "--project", project.id);
    expect((await speak(secret)).status).toBe(402);
    expect(await json("credit", "grant", "0.01", "--org", id, "--days", "7")).toMatchObject({
      balance_micros: 10_000,
    });
    await until(async () => (await speak(secret, "Ten chars.")).status === 200, SPEAK_MS); // a balance is kept for a second
    expect(await json("credit", "balance", "--org", id)).toMatchObject({
      balance_micros: 9850,
      month_to_date_micros: 150,
    });
    const [grant] = (await json("credit", "history", "--org", id)).data;
    expect(grant).toMatchObject({ kind: "adjustment", remaining_micros: 9850, status: "active" });
    expect(grant.expires_at - grant.created_at).toBe(7 * 86_400);
    expect(await json("usage", "--org", id)).toEqual({
      organization_id: id,
      requests: 1,
      characters: 10,
      audio_seconds: 0,
      tokens: 0,
      cost_micros: 150,
    });
    expect((await cli.run(["usage", "--org", id])).out).toBe(
      "1 request billed: 10 characters, 0 s of audio, $0.00015.\n",
    );
    expect((await json("ledger", "verify")).data).toEqual([]);
  });

  test("credit that was granted by mistake is taken back", async () => {
    const { id } = await json("org", "create", "Corrected");
    await json("credit", "grant", "5", "--org", id, "--reason", "Welcome");
    const [grant] = (await json("credit", "history", "--org", id)).data;
    const revoke = ["credit", "revoke", grant.id, "--org", id, "--reason", "Granted twice"];
    expect(await json(...revoke, "--amount", "2")).toMatchObject({ balance_micros: 3_000_000 });
    expect(await refusal(...revoke, "--amount", "4")).toMatchObject({
      code: 1,
      err: expect.stringContaining("at most 3000000"),
    });
    expect(await json(...revoke, "--amount", "3", "--overdraft")).toMatchObject({ balance_micros: 0 });
    expect((await json("credit", "history", "--org", id)).data).toMatchObject([
      { reason: "Welcome", reversals: [{ reason: "Granted twice" }, { amount_micros: 3_000_000 }] },
    ]);
    expect((await json("ledger", "verify")).data).toEqual([]);
  });

  test("ledger verify reports a balance that was changed in the database", async () => {
    const { id } = await json("org", "create", "Tampered");
    await json("credit", "grant", "5", "--org", id);
    const database = new Database(join(cli.folder, "data", "loquat.db"));
    const change =
      "update credit_grant set remaining_micros = remaining_micros + ? where organization_id = ?";
    database.run(change, [1, id]);
    const { code, out } = await cli.run(["ledger", "verify", "--json"]);
    database.run(change, [-1, id]);
    database.close();
    expect(code).toBe(1);
    expect(JSON.parse(out).data).toMatchObject([
      { what: "remaining", stored: 5_000_001, computed: 5_000_000 },
    ]);
    expect((await cli.run(["ledger", "verify"])).code).toBe(0);
  });

  test.each([
    ["-5", 2],
    ["five", 2],
    ["0.0000001", 2],
  ])("a grant of %s is refused", async (amount, code) => {
    expect((await cli.runInTurn(["credit", "grant", "--", amount])).code).toBe(code);
  });
});

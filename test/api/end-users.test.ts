/** Promise: an organization can tell who used its one key, by the names that clients send, and keeps no more of them than it chose. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openAuditReads } from "../../src/audit/audit-reads.ts";
import { openOwnRetention } from "../../src/server/own-retention.ts";
import { errorOf } from "../harness.ts";
import { until } from "../until.ts";
import { type AdminFixture, openAdminFixture } from "./v1/organization/admin-fixture.ts";

const DAY_MS = 86_400_000;
const EMAIL = "X-OpenWebUI-User-Email";
const NAME = "X-OpenWebUI-User-Name";

let server: AdminFixture;
let path: string;
beforeAll(async () => {
  server = await openAdminFixture();
  path = `/api/organizations/${server.organizationId}`;
});
afterAll(() => server[Symbol.asyncDispose]());

/** Settings hold for requests that begin a second later. */
async function choose(body: object): Promise<void> {
  await server.owner.get(`PATCH ${path}`, body);
  server.clock.pass(1001);
}
const rows = () => server.parts.ledger.requests(server.organizationId, 1000);
async function rowAfter(send: () => Promise<unknown>) {
  server.clock.pass(1); // ids begin with their time
  const before = (await rows()).length;
  await send();
  await until(async () => (await rows()).length > before);
  return (await rows())[0]!;
}
const SPEECH = { model: "svc-tts1", voice: "female-warm", input: "Good morning." };
async function speech(body: object, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(`${server.url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.key}`, ...headers },
    body: JSON.stringify({ ...SPEECH, ...body }),
  });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  expect(response.headers.get("x-ignored-fields") ?? "").not.toContain("user");
}
const named = async (body: object, headers: Record<string, string> = {}) =>
  (await rowAfter(() => speech(body, headers))).endUser;
type Usage = { data: { start: number; groups: Record<string, string>; requests: number }[] };
const usage = (query: string) => server.owner.get<Usage>(`GET ${path}/usage?${query}`);

describe("the user of a request", () => {
  test("is the field user, without control characters and at most 128 characters long", async () => {
    expect(await named({})).toBeNull();
    expect(await named({ user: "ada" })).toBe("ada");
    expect(await named({ user: "  a\u0000d\na\u2028 \ud800" })).toBe("ada \ufffd");
    expect(await named({ user: "é".repeat(3000) })).toBe("é".repeat(128));
    expect(await named({ user: "\n" })).toBeNull();
    expect(await named({ user: "ada" }, { [EMAIL]: "bob@example.com" })).toBe("ada");
    expect(await named({}, { [EMAIL]: "bob@example.com" })).toBeNull();
    const response = await fetch(`${server.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.key}` },
      body: JSON.stringify({ ...SPEECH, user: 5 }),
    });
    expect(await errorOf(response)).toMatchObject({ status: 422, code: "validation_error" });
  });

  test("is what the header says that the organization chose, where the body names none", async () => {
    await choose({ end_user_header: EMAIL });
    expect(await named({}, { [EMAIL]: "bob@example.com", [NAME]: "Bob" })).toBe("bob@example.com");
    expect(await named({ user: "ada" }, { [EMAIL]: "bob@example.com" })).toBe("ada");
    await choose({ end_user_header: NAME });
    expect(await named({}, { [NAME]: "Zo%C3%AB Q" })).toBe("Zoë Q");
    expect(await named({}, { [NAME]: "100%" })).toBe("100%");
    const { status } = await server.owner.ask(`PATCH ${path}`, { end_user_header: "X-Other" });
    expect(status).toBe(422);
    await choose({ end_user_header: null });
  });

  test("is that of a form, and of a live session by its header", async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: "svc-stt1", user: "form user" }))
      form.append(name, value);
    form.append("file", new Blob(["no audio"]), "a.wav");
    const row = await rowAfter(() =>
      fetch(`${server.url}/v1/audio/translations`, {
        ...{ method: "POST", body: form, headers: { authorization: `Bearer ${server.key}` } },
      }),
    );
    expect(row).toMatchObject({ endUser: "form user", endpoint: "/v1/audio/translations" });
    await choose({ end_user_header: EMAIL });
    const live = await rowAfter(async () => {
      const headers = { authorization: `Bearer ${server.key}`, [EMAIL]: "live@example.com" };
      const address = `${server.url.replace("http", "ws")}/v1/realtime?intent=transcription`;
      const socket = new WebSocket(address, { headers } as never);
      await new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
      socket.close();
    });
    expect(live).toMatchObject({ endUser: "live@example.com", endpoint: "/v1/realtime" });
    await choose({ end_user_header: null });
  });
});

describe("who used what", () => {
  test("is added up by day and name, and found in the log, in the file and for one name", async () => {
    server.clock.pass(DAY_MS);
    await named({ user: "grace" });
    await named({ user: "grace" });
    await named({ user: "alan" });
    const { data } = await usage("group_by=end_user");
    const start = Math.floor(server.clock.now() / DAY_MS) * 86_400;
    const sums = { errors: 0, audio_seconds: 0, tokens: 0 };
    expect(data.filter((row) => row.start === start)).toEqual([
      expect.objectContaining({ groups: { end_user: "alan" }, requests: 1, characters: 13, ...sums }),
      expect.objectContaining({ groups: { end_user: "grace" }, requests: 2, characters: 26, ...sums }),
    ]);
    expect((await usage("end_user=alan")).data).toMatchObject([{ groups: {}, requests: 1 }]);
    const listed = `GET ${path}/requests?end_user=grace`;
    const { data: found } = await server.owner.get<{ data: { end_user: string }[] }>(listed);
    expect(found.map(({ end_user }) => end_user)).toEqual(["grace", "grace"]);
    const file = await server.owner.ask(`GET ${path}/requests/export?end_user=alan`);
    const [header, ...lines] = (await file.text()).trim().split("\n");
    expect(header).toContain("end_user");
    expect(lines.length).toBe(1);
    expect(lines[0]).toContain("alan");
  });

  test.each([
    "group_by=end_user&bucket=hour",
    "group_by=end_user,key",
    "group_by=model&end_user=ada",
    "group_by=end_user&model=svc-tts1",
    `end_user=${"x".repeat(129)}`,
    "end_user=",
  ])("is not added up by %s", async (query) => {
    expect((await server.owner.ask(`GET ${path}/usage?${query}`)).status).toBe(422);
  });

  test("is another organization's neither in the log nor in the sums", async () => {
    const theirs = `/api/organizations/${server.other.id}`;
    const empty = { data: [] };
    const { owner } = server.other;
    expect(await owner.get(`GET ${theirs}/requests?end_user=grace`)).toMatchObject(empty);
    expect(await owner.get(`GET ${theirs}/usage?group_by=end_user`)).toMatchObject(empty);
    expect((await owner.ask(`GET ${path}/usage?group_by=end_user`)).status).toBe(404);
  });
});

describe("an organization", () => {
  test("may have names stored as an HMAC of its own, and finds them by name", async () => {
    await choose({ end_users_hashed: true });
    const stored = await named({ user: "grace" });
    expect(stored).toMatch(/^hmac_[\w-]{32}$/);
    expect(await named({ user: "grace" })).toBe(stored!);
    expect(await named({ user: stored! })).not.toBe(stored!);
    for (const asked of ["grace", stored!])
      expect((await usage(`end_user=${asked}`)).data.at(-1)).toMatchObject({ requests: 2 });
    const { data } = await server.owner.get<{ data: unknown[] }>(`GET ${path}/requests?end_user=grace`);
    expect(data.length).toBe(2);
    const kept = await server.owner.get<Record<string, unknown>>(`GET ${path}`);
    expect(kept).toMatchObject({ end_users_hashed: true });
    const { endUserKey } = (await server.parts.accounts.organization(server.organizationId))!;
    const events = await server.parts.database.query.select().from(server.parts.database.tables.auditEvent);
    expect(JSON.stringify([kept, events])).not.toContain(endUserKey!);
    await choose({ end_users_hashed: false });
    await choose({ end_users_hashed: true });
    expect(await named({ user: "grace" })).toBe(stored!);
    await server.parts.accounts.setRetention(server.other.id, { endUsersHashed: true });
    expect((await server.parts.accounts.organization(server.other.id))!.endUserKey).not.toBe(endUserKey);
    await choose({ end_users_hashed: false });
  });

  test("that keeps nothing of its requests has no end users", async () => {
    await choose({ data_retention: "zero_data_retention", end_user_header: EMAIL });
    const before = (await usage("group_by=end_user")).data;
    expect(await named({ user: "zero" }, { [EMAIL]: "zero@example.com" })).toBeNull();
    expect((await usage("group_by=end_user")).data).toEqual(before);
    await choose({ data_retention: "none", end_user_header: null });
  });

  test("has the sums as long as it has the rows of requests", async () => {
    const { parts, clock } = server;
    await named({ user: "old" });
    await choose({ request_log_days: 3 });
    const forget = () =>
      openOwnRetention(parts, {
        ...{ logDays: 90, auditEvents: openAuditReads(parts.database), clock, log: parts.log },
      })[Symbol.asyncDispose]();
    clock.pass(2 * DAY_MS);
    await forget();
    expect((await usage("end_user=old")).data.length).toBe(1);
    await named({ user: "new" });
    clock.pass(2 * DAY_MS);
    await forget();
    expect((await usage("group_by=end_user")).data.map(({ groups }) => groups.end_user)).toEqual(["new"]);
    await choose({ request_log_days: null });
  });
});

/**
 * Promise: usage is reported exactly, whatever it is grouped by; a request shows its details and the grants that paid.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import type { usageRoutes } from "../../../src/api/management/schema/usage-routes.ts";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";
import { STORES } from "./stores.ts";

describe.each(STORES)("%s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  type Routes = typeof usageRoutes;
  type Usage = ReplyOf<Routes["GET /api/organizations/:organization/usage"]>;
  type Requests = ReplyOf<Routes["GET /api/organizations/:organization/requests"]>;
  type Request = Requests["data"][number];

  const HOUR = 3600;
  const DAY = 24 * HOUR;

  let fixture: Fixture;
  let who: Person;
  let organization: string;
  let project: string;
  let made: Record<"speech" | "bad" | "broken" | "left" | "transcribed", string>;

  /** Five requests, an hour apart, of two projects, two keys, two models and both environments. */
  beforeAll(async () => {
    store = await openStore();
    fixture = await openFixture({ environment: store.environment });
    const { accounts } = fixture.parts;
    ({ id: organization } = await accounts.createOrganization("Usage"));
    ({ id: project } = await accounts.createProject(organization, "Second"));
    who = await fixture.person("member", { organizationId: organization, role: "member" });
    const grant = { organizationId: organization, kind: "adjustment", createdAt: 0, topUpId: null } as const;
    const soon = Math.floor(fixture.clock.now() / 1000) + 30 * DAY;
    await fixture.parts.ledger.grant({ ...grant, id: "grant_small", amountMicros: 500, expiresAt: soon });
    await fixture.parts.ledger.grant({ ...grant, id: "grant_large", amountMicros: 1000, expiresAt: null });
    const log = async (fields: Parameters<Fixture["request"]>[0]) => {
      fixture.clock.pass(HOUR * 1000);
      return (await fixture.request({ organizationId: organization, keyId: "key_one", ...fields })).id;
    };
    const transcription = {
      endpoint: "/v1/audio/transcriptions",
      model: "svc-stt1",
      characters: null,
      voice: null,
    };
    made = {
      speech: await log({ charged: 660 }),
      bad: await log({
        status: 400,
        errorCode: "invalid_voice",
        characters: null,
        audioSeconds: null,
        firstByteMs: null,
      }),
      broken: await log({
        status: 502,
        errorCode: "inference_unavailable",
        projectId: project,
        characters: null,
        audioSeconds: null,
      }),
      left: await log({ status: 499, environment: "test", keyId: "key_two", charged: 900, characters: 60 }),
      transcribed: await log({ ...transcription, projectId: project, audioSeconds: 2.5 }),
    };
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  const usage = (query = "") => who.get<Usage>(`GET /api/organizations/${organization}/usage?${query}`);
  const requests = (query = "") =>
    who.get<Requests>(`GET /api/organizations/${organization}/requests?${query}`);
  const refusal = async (path: string) =>
    errorOf(await who.ask(`GET /api/organizations/${organization}/${path}`));
  const idsOf = ({ data }: Requests) => data.map(({ id }) => id);

  describe("the request log", () => {
    test("lists requests newest first", async () => {
      const { data, ...rest } = await requests();
      expect(data.map(({ id }) => id)).toEqual(Object.values(made).reverse());
      expect(rest).toEqual({ object: "list", has_more: false, next_cursor: null });
    });

    test("shows what was billed, and which grants paid", async () => {
      const read = await who.get<Request>(`GET /api/requests/${made.speech}`);
      expect(idsOf(await requests(`id=${made.speech}`))).toEqual([made.speech]);
      expect(read).toEqual({
        id: made.speech,
        object: "request_log",
        created_at: read.created_at,
        duration_ms: 412,
        first_audio_ms: 80,
        endpoint: "/v1/audio/speech",
        method: "POST",
        status: 200,
        error_type: null,
        error_code: null,
        error_message: null,
        organization_id: organization,
        project_id: read.project_id,
        key_id: "key_one",
        environment: "live",
        model: "svc-tts1",
        voice: "female-warm",
        stream: true,
        response_format: "pcm",
        characters: 44,
        audio_seconds: 3.5,
        ...{ responses: null, input_tokens: null, output_tokens: null },
        plan: "prepaid",
        billed_quantity: 44,
        billed_unit: "character",
        unit_price_micros: 15_000_000,
        charges: [
          {
            ...{ model: "svc-tts1", unit: "character", quantity: 44 },
            ...{ unit_price_micros: 15_000_000, cost_micros: 660 },
          },
        ],
        cost_micros: 660,
        paid_by: [
          { grant_id: "grant_small", amount_micros: 500 },
          { grant_id: "grant_large", amount_micros: 160 },
        ],
        overdraft_micros: 0,
        ip: "203.0.113.7",
        user_agent: "test",
        end_user: null,
        ...{ label: null, language: null, final_text_ms: null },
        replay_of: null,
      });
      expect(await who.get<Request>(`GET /api/requests/${made.left}`)).toMatchObject({
        status: 499,
        error_type: null,
        cost_micros: 900,
        paid_by: [{ grant_id: "grant_large", amount_micros: 840 }],
        overdraft_micros: 60,
      });
      expect(await who.get<Request>(`GET /api/requests/${made.bad}`)).toMatchObject({
        error_type: "not_found",
        error_code: "invalid_voice",
        first_audio_ms: null,
        billed_quantity: 0,
        billed_unit: null,
        unit_price_micros: null,
        paid_by: [],
      });
    });

    test("can be filtered by every field", async () => {
      const timeOf = async (name: keyof typeof made) =>
        (await who.get<Request>(`GET /api/requests/${made[name]}`)).created_at;
      const cases: [string, (keyof typeof made)[]][] = [
        ["status=4xx", ["left", "bad"]],
        ["status=5xx", ["broken"]],
        ["status=200", ["transcribed", "speech"]],
        ["status=499", ["left"]],
        ["error_code=invalid_voice", ["bad"]],
        ["environment=test", ["left"]],
        ["key_id=key_two", ["left"]],
        [`project_id=${project}`, ["transcribed", "broken"]],
        ["model=svc-stt1", ["transcribed"]],
        ["endpoint=/v1/audio/transcriptions", ["transcribed"]],
        [`id=${made.bad.slice(0, 12)}`, ["bad"]],
        ["id=req_zzz", []],
        [`start=${await timeOf("left")}`, ["transcribed", "left"]],
        [`start=${await timeOf("bad")}&end=${await timeOf("left")}`, ["broken", "bad"]],
        [`project_id=${project}&status=5xx`, ["broken"]],
        ["model=svc-stt1&environment=test", []],
      ];
      for (const [query, names] of cases)
        expect([query, idsOf(await requests(query))]).toEqual([query, names.map((name) => made[name])]);
    });

    test("continues from a cursor when new requests arrive, with the same filters only", async () => {
      const first = await requests("limit=2&environment=live");
      expect(idsOf(first)).toEqual([made.transcribed, made.broken]);
      const cursor = first.next_cursor!;
      await fixture.request({
        organizationId: organization,
        createdAt: 0,
        id: "req_zzzzzzzzzzzzzzzzzzzzzzzz",
      });
      const second = await requests(`limit=2&environment=live&cursor=${cursor}`);
      expect(second).toMatchObject({ has_more: false, next_cursor: null });
      expect(idsOf(second)).toEqual([made.bad, made.speech]);
      expect(await refusal(`requests?limit=2&cursor=${cursor}`)).toMatchObject({
        status: 400,
        code: "invalid_cursor",
      });
      expect(await refusal(`keys?environment=live&cursor=${cursor}`)).toMatchObject({
        code: "invalid_cursor",
      });
    });

    test.each(["status=6xx", "status=20", "id=key_1", "id=req_%", "start=x", "limit=0"])(
      "refuses %s",
      async (query) => {
        expect(await refusal(`requests?${query}`)).toMatchObject({ status: 422, code: "validation_error" });
      },
    );
  });

  describe("usage", () => {
    const sums = {
      requests: 5,
      errors: 3,
      characters: 104,
      audio_seconds: 2.5,
      tokens: 0,
      cost_micros: 1560,
    };

    test("defaults to days of the last thirty", async () => {
      const { data, totals } = await usage("environment=live");
      expect(totals.requests).toBeGreaterThanOrEqual(4);
      for (const { start, end, groups } of data) {
        expect(start % DAY).toBe(0);
        expect(end).toBe(start + DAY);
        expect(groups).toEqual({});
      }
    });

    test("by hour has a bucket for each hour, and adds up", async () => {
      const { start, end } = await range();
      const { data, totals } = await usage(`bucket=hour&start=${start}&end=${end}`);
      expect(data.length).toBe(5);
      for (const bucket of data) expect(bucket.end - bucket.start).toBe(HOUR);
      expect(data.reduce((sum, { cost_micros }) => sum + cost_micros, 0)).toBe(totals.cost_micros);
      expect(totals.requests).toBe(sums.requests);
      expect(totals.cost_micros).toBe(sums.cost_micros);
      expect(totals.characters).toBe(sums.characters);
    });

    test("by minute adds up to an hour", async () => {
      const { start, end } = await range();
      const [hour] = (await usage(`bucket=hour&start=${start}&end=${end}`)).data;
      const { data, totals } = await usage(`bucket=minute&start=${hour!.start}&end=${hour!.end}`);
      expect(data.length).toBeGreaterThan(0);
      for (const bucket of data) expect(bucket.end - bucket.start).toBe(60);
      expect(totals.requests).toBe(hour!.requests);
      expect(totals.cost_micros).toBe(hour!.cost_micros);
    });

    test("by group contains each sum once", async () => {
      const { start, end } = await range();
      const by = async (groups: string, more = "") => {
        const { data } = await usage(`start=${start}&end=${end}&group_by=${groups}${more}`);
        const counted = new Map<string, number>();
        for (const { groups: of, requests: count } of data) {
          const name = Object.values(of).join(" ");
          counted.set(name, (counted.get(name) ?? 0) + count);
        }
        return Object.fromEntries(counted);
      };
      expect(await by("key")).toEqual({ key_one: 4, key_two: 1 });
      expect(await by("environment,model")).toMatchObject({
        "live svc-tts1": 3,
        "live svc-stt1": 1,
        "test svc-tts1": 1,
      });
      expect(await by("model", `&project_id=${project}`)).toEqual({ "svc-tts1": 1, "svc-stt1": 1 });
      expect(await by("endpoint", "&key_id=key_two")).toEqual({ "/v1/audio/speech": 1 });
    });

    test.each([
      ["group_by=colour", "group_by"],
      ["group_by=key,", null],
      ["bucket=week", "bucket"],
      [`bucket=minute&start=0&end=${6 * HOUR}`, null],
      [`bucket=minute&start=0&end=${6 * HOUR + 1}`, "start"],
      ["bucket=minute&group_by=end_user", "bucket"],
      [`bucket=hour&start=0&end=${31 * DAY}`, null],
      [`bucket=hour&start=0&end=${31 * DAY + 1}`, "start"],
      [`start=0&end=${400 * DAY}`, null],
      [`start=0&end=${400 * DAY + 1}`, "start"],
      [`bucket=hour&group_by=key,model&start=0&end=${7 * DAY}`, null],
      [`bucket=hour&group_by=key,model&start=0&end=${7 * DAY + 1}`, "start"],
      [`group_by=key,model&start=0&end=${100 * DAY + 1}`, "start"],
      ["start=10&end=10", "end"],
      ["start=1.5", "start"],
      ["end=99999999999999999999", "end"],
    ])("validates %s", async (query, param) => {
      const response = await who.ask(`GET /api/organizations/${organization}/usage?${query}`);
      if (param === null) return expect(response.status).toBe(200);
      const { details, ...error } = await errorOf(response);
      expect(error).toMatchObject({ status: 422, code: "validation_error", param });
      expect(details).toMatchObject([{ field: param }]);
    });

    /** The hours of the five, whatever was logged besides. */
    async function range() {
      const timeOf = async (id: string) => (await who.get<Request>(`GET /api/requests/${id}`)).created_at;
      const hour = (time: number) => Math.floor(time / HOUR) * HOUR;
      return { start: hour(await timeOf(made.speech)), end: hour(await timeOf(made.transcribed)) + HOUR };
    }
  });
});

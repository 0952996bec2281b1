/** Promise: stock clients manage the rate limits, the models and the monthly budget of projects, and nothing else of their caps changes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AdminFixture, all, openAdminFixture, statusOf, stockClients } from "./admin-fixture.ts";

let server: AdminFixture;
let project: string;
beforeAll(async () => {
  server = await openAdminFixture();
  project = (await server.adminGet<{ id: string }>("POST /projects", { name: "Capped" })).id;
});
afterAll(() => server[Symbol.asyncDispose]());

const restrictions = async () => (await server.parts.accounts.project(project))?.restrictions;
const restrict = (fields: object) => server.adminGet(`POST /projects/${project}`, { restrictions: fields });

test("stock clients list and change rate limits", async () => {
  for (const [, client] of await stockClients(server.url, server.adminKey)) {
    await restrict({
      limits: { concurrent_requests: 3 },
      voices: { mode: "allow_list", ids: ["male-deep"] },
    });
    const { rateLimits } = client.admin.organization.projects;
    const kinds = (await all(rateLimits.listRateLimits(project, { limit: 1 }))) as object[];
    expect(kinds).toEqual([
      {
        ...{
          object: "project.rate_limit",
          id: "rl_speech",
          model: "speech",
          max_requests_per_1_minute: null,
        },
        ...{ max_tokens_per_1_minute: null, max_characters_per_1_minute: null },
      },
      {
        ...{ object: "project.rate_limit", id: "rl_transcription", model: "transcription" },
        ...{ max_requests_per_1_minute: null, max_tokens_per_1_minute: null, max_seconds_per_1_minute: null },
      },
    ]);
    const change = { max_requests_per_1_minute: 60, max_tokens_per_1_minute: 600 };
    const changed = await rateLimits.updateRateLimit("rl_transcription", { project_id: project, ...change });
    expect(changed).toMatchObject({ ...change, max_seconds_per_1_minute: 600 } as object);
    const [speech] = await all(rateLimits.listRateLimits(project));
    expect(speech).toMatchObject({ max_requests_per_1_minute: 60, max_tokens_per_1_minute: null } as object);
    expect(await restrictions()).toEqual({
      limits: { concurrent_requests: 3, requests_per_minute: 60, stt_seconds_per_minute: 600 },
      voices: { mode: "allow_list", ids: ["male-deep"] },
    });
    const other = rateLimits.updateRateLimit("rl_images", { project_id: project, ...change });
    expect(await statusOf(other)).toBe(404);
  }
  const path = `POST /projects/${project}/rate_limits/rl_speech`;
  const own = { max_characters_per_1_minute: 900 };
  expect(await server.adminGet(path, own)).toMatchObject({ max_tokens_per_1_minute: 900, ...own });
  for (const wrong of [0, -1, 1.5, 1e10])
    expect((await server.refused(path, { max_tokens_per_1_minute: wrong })).status).toBe(422);
});

test("a rate limit that is set holds for keys of the project", async () => {
  const of = { projectId: project, name: "x", environment: "live", expiresAt: null } as const;
  const { secret } = await server.parts.accounts.createKey({ ...of, scopes: ["speech:create"] });
  await server.adminGet(`POST /projects/${project}/rate_limits/rl_speech`, { max_requests_per_1_minute: 1 });
  const body = JSON.stringify({ model: "svc-tts1", voice: "male-deep", input: "Hello." });
  const speak = async () => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const response = await fetch(`${server.url}/v1/audio/speech`, { method: "POST", headers, body });
    await response.arrayBuffer();
    return response.status;
  };
  expect([await speak(), await speak()]).toEqual([200, 429]);
});

test("stock clients set, read and remove which models a project may use", async () => {
  await restrict({ limits: { concurrent_requests: 3 } });
  for (const [, client] of await stockClients(server.url, server.adminKey)) {
    const { modelPermissions } = client.admin.organization.projects;
    expect(await statusOf(modelPermissions.retrieve(project))).toBe(404);
    const set = { mode: "allow_list", model_ids: ["svc-tts1"] } as const;
    const kept = { object: "project.model_permissions", ...set };
    expect(await modelPermissions.update(project, { ...set, model_ids: [...set.model_ids] })).toEqual(
      kept as never,
    );
    expect(await modelPermissions.retrieve(project)).toEqual(kept as never);
    expect(await restrictions()).toEqual({
      ...{ limits: { concurrent_requests: 3 }, models: { mode: "allow_list", ids: ["svc-tts1"] } },
    });
    expect(await modelPermissions.delete(project)).toEqual({
      ...{ object: "project.model_permissions.deleted", deleted: true },
    });
    expect(await restrictions()).toEqual({ limits: { concurrent_requests: 3 } });
  }
  const path = `POST /projects/${project}/model_permissions`;
  for (const wrong of [{}, { mode: "all", model_ids: [] }, { mode: "deny_list" }])
    expect((await server.refused(path, wrong)).status).toBe(422);
});

test("stock clients set, read and remove the monthly budget of a project, and leave others alone", async () => {
  await restrict({});
  for (const [, client] of await stockClients(server.url, server.adminKey)) {
    const { spendLimit } = client.admin.organization.projects;
    expect(await statusOf(spendLimit.retrieve(project))).toBe(404);
    const set = { threshold_amount: 2550, currency: "USD", interval: "month" } as const;
    const limit = { ...set, object: "project.spend_limit", enforcement: { status: "enforcing" } };
    expect(await spendLimit.update(project, set)).toEqual(limit as never);
    expect(await spendLimit.retrieve(project)).toEqual(limit as never);
    expect((await restrictions())?.budget).toMatchObject({ limit_micros: 25_500_000, interval: "month" });
    const deleted = { object: "project.spend_limit.deleted", deleted: true } as const;
    expect(await spendLimit.delete(project)).toEqual(deleted);
    await restrict({ budget: { limit_micros: 7, interval: "day" } });
    expect(await statusOf(spendLimit.retrieve(project))).toBe(404);
    expect(await spendLimit.delete(project)).toEqual(deleted);
    expect((await restrictions())?.budget).toMatchObject({ limit_micros: 7, interval: "day" });
    await restrict({});
  }
});

test.each([
  "GET /projects/ID/rate_limits",
  "POST /projects/ID/rate_limits/rl_speech",
  "GET /projects/ID/model_permissions",
  "POST /projects/ID/model_permissions",
  "DELETE /projects/ID/model_permissions",
  "GET /projects/ID/spend_limit",
  "POST /projects/ID/spend_limit",
  "DELETE /projects/ID/spend_limit",
])("%s of another organization is not found", async (route) => {
  const theirs = (await server.parts.accounts.defaultProject(server.other.id))!;
  const body = {
    ...{ max_requests_per_1_minute: 1, mode: "deny_list", model_ids: [] },
    ...{ threshold_amount: 1, currency: "USD", interval: "month" },
  };
  const asked = route.startsWith("POST") ? body : undefined;
  expect(await server.refused(route.replace("ID", theirs.id), asked)).toMatchObject({ status: 404 });
  expect(await server.parts.accounts.project(theirs.id)).toEqual(theirs);
});

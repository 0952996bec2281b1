/** Promise: a server's requests appear in its metrics, without values that clients choose; a port or a token limits them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openMetricsPort } from "../../../src/server/metrics-port.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";
import { dial } from "../v1/realtime/live.ts";

const TOKEN = "a-token-of-more-than-32-characters-for-tests";
let harness: Harness;

beforeAll(async () => {
  harness = await openHarness({ environment: { LOQUAT_METRICS_TOKEN: TOKEN } });
});
afterAll(() => harness[Symbol.asyncDispose]());

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const metrics = async () => (await fetch(`${harness.url}/metrics`, bearer(TOKEN))).text();

/** The value of a series; its labels in any order. */
function seriesValue(text: string, name: string, labels: Record<string, string> = {}): number {
  const has = (line: string) =>
    Object.entries(labels).every((pair) => line.includes(`${pair[0]}="${pair[1]}"`));
  const line = text.split("\n").find((one) => new RegExp(`^${name}[{ ]`).test(one) && has(one));
  return line === undefined ? 0 : Number(line.split(" ").at(-1));
}

const metricsWith = (name: string, labels: Record<string, string>): Promise<string> =>
  until(async () => {
    const text = await metrics();
    return seriesValue(text, name, labels) > 0 && text;
  });

test("a speech request is in the durations of the server, the endpoint, the engine and the ledger", async () => {
  const body = JSON.stringify({
    model: "svc-tts1",
    voice: "female-warm",
    input: "Hello.",
    response_format: "wav",
  });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  const response = await harness.ask("/v1/audio/speech", init);
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  const endpoint = "/v1/audio/speech";
  const status = { http_response_status_code: "200" };
  const route = { http_request_method: "POST", http_route: endpoint, ...status };
  const text = await metricsWith("http_server_request_duration_seconds_count", route);
  expect(seriesValue(text, "http_server_request_duration_seconds_count", route)).toBe(1);
  expect(seriesValue(text, "loquat_request_duration_seconds_count", { endpoint, ...status })).toBe(1);
  const first = { endpoint, model: "svc-tts1" };
  expect(seriesValue(text, "loquat_time_to_first_output_seconds_count", first)).toBe(1);
  expect(seriesValue(text, "loquat_engine_wait_seconds_count", { urgency: "batch" })).toBeGreaterThan(0);
  expect(seriesValue(text, "loquat_engine_task_duration_seconds_count")).toBeGreaterThan(0);
  expect(seriesValue(text, "loquat_ledger_commit_duration_seconds_count")).toBeGreaterThan(0);
  expect(seriesValue(text, "process_resident_memory_bytes")).toBeGreaterThan(1e6);
  expect(seriesValue(text, "loquat_build_info", { runtime: `Bun ${Bun.version}` })).toBe(1);
});

test("refusals are counted by code, and nothing that clients send becomes a label", async () => {
  const secret = "sk_live_nobody";
  expect((await harness.ask("/v1/models", bearer(secret))).status).toBe(401);
  expect((await harness.ask("/v1/models/invented-model")).status).toBe(404);
  expect((await fetch(`${harness.url}/invented-path`, { method: "PURGE" })).status).toBe(404);
  const unauthorized = { error_type: "invalid_api_key", http_response_status_code: "401" };
  const before = seriesValue(await metrics(), "loquat_refusals_total", unauthorized);
  await harness.ask("/v1/models", bearer(secret));
  await fetch(`${harness.url}/v1/models`, { method: "OPTIONS" });
  const text = await metrics();
  expect(seriesValue(text, "loquat_refusals_total", unauthorized)).toBe(before + 1);
  const preflight = { http_request_method: "OPTIONS", http_response_status_code: "204" };
  expect(seriesValue(text, "http_server_request_duration_seconds_count", preflight)).toBe(1);
  const other = { http_request_method: "_OTHER", http_response_status_code: "404" };
  expect(seriesValue(text, "http_server_request_duration_seconds_count", other)).toBe(1);
  expect(text).toContain('http_route="/v1/models/:model"');
  expect(text).not.toMatch(/invented|PURGE|sk_live|org_|key_/);
});

test("an open live session is counted and its lag recorded; a refused event and a refused socket are refusals", async () => {
  const client = await dial(harness);
  await client.until("session.created");
  const text = await metricsWith("loquat_realtime_lag_seconds_count", {});
  expect(seriesValue(text, "loquat_live_sessions")).toBe(1);
  client.send("no.such.event");
  await client.until("error");
  client.close();
  await client.closed;
  const refused = await dial(harness, { headers: bearer("sk_live_nobody").headers });
  expect((await refused.ended()).code).toBe("invalid_api_key");
  const session = { endpoint: "/v1/realtime", http_response_status_code: "400" }; // ended by the refused event
  const after = await metricsWith("loquat_request_duration_seconds_count", session);
  expect(seriesValue(after, "loquat_live_sessions")).toBe(0);
  const labels = { error_type: "invalid_event", http_response_status_code: "400" };
  expect(seriesValue(after, "loquat_refusals_total", labels)).toBe(1);
  expect(after).not.toMatch(/http_route="\/v1\/realtime"|no\.such/);
});

test("with a token, only those who send it may read the metrics", async () => {
  const response = await fetch(`${harness.url}/metrics`, bearer(TOKEN));
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  for (const init of [{}, bearer(""), bearer(TOKEN.slice(1)), bearer(harness.key)])
    expect(await errorOf(await fetch(`${harness.url}/metrics`, init))).toMatchObject({
      status: 401,
      code: "invalid_api_key",
    });
});

test("a port of its own has the metrics and nothing else, behind the same token", async () => {
  await using port = openMetricsPort(harness.parts, 0);
  expect(await (await fetch(port.url, bearer(TOKEN))).text()).toContain("# TYPE loquat_live_sessions gauge");
  expect((await fetch(port.url)).status).toBe(401);
  expect((await fetch(new URL("/v1/models", port.url), bearer(harness.key))).status).toBe(404);
  expect((await fetch(port.url, { method: "POST", ...bearer(TOKEN) })).status).toBe(404);
  const taken = Number(new URL(port.url).port);
  expect(() => openMetricsPort(harness.parts, taken)).toThrow(`LOQUAT_METRICS_PORT ${taken}`);
});

test("a port that is closed answers its readers first", async () => {
  const [asked, text] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const read = () => {
    asked.resolve();
    return text.promise;
  };
  const port = openMetricsPort({ ...harness.parts, metrics: { ...harness.parts.metrics, text: read } }, 0);
  const response = fetch(port.url, bearer(TOKEN));
  await asked.promise;
  port.leave();
  const closed = port[Symbol.asyncDispose]();
  text.resolve("the metrics");
  expect(await (await response).text()).toBe("the metrics");
  await closed;
  await expect(fetch(port.url, bearer(TOKEN))).rejects.toThrow();
});

test("with a port of their own, the metrics are not on the server's port", async () => {
  await using other = await openHarness({ environment: { LOQUAT_METRICS_PORT: "0" } });
  expect((await fetch(`${other.url}/metrics`)).status).toBe(404);
});

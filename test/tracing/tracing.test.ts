/** Promise: requests are traced where a collector is configured, and no request waits for it or fails of it. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import { dial, MANUAL } from "../api/v1/realtime/live.ts";
import { openCli } from "../cli/process.ts";
import { type Harness, openHarness } from "../harness.ts";
import { until } from "../until.ts";
import { type Collector, openCollector } from "./collector.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

const speak = (harness: Harness, body: object = {}, headers: Record<string, string> = {}) =>
  harness.ask("/v1/audio/speech", {
    method: "POST",
    headers,
    body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Go on.", ...body }),
  });

/** What a traced server delivers until it has closed. */
async function traced(steps: (harness: Harness) => Promise<void>): Promise<{
  spans: Collector["spans"];
  resource: Collector["resource"];
  logged: Harness["logged"];
}> {
  await using collector = openCollector();
  const harness = await openHarness({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` } });
  await steps(harness);
  await harness[Symbol.asyncDispose]();
  return { spans: collector.spans, resource: collector.resource, logged: harness.logged };
}

test("a request's spans are parts of its caller's trace, which its line in the log names", async () => {
  const traceparent = `00-${TRACE}-${CALLER}-01`;
  const { spans, resource, logged } = await traced(async (harness) => {
    expect((await speak(harness, { response_format: "mp3" }, { traceparent })).status).toBe(200);
  });
  const request = spans.find(({ name }) => name === "POST /v1/audio/speech")!;
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, status: { code: 0 } });
  expect(request.attributes).toMatchObject({
    "http.response.status_code": 200,
    "gen_ai.request.model": "svc-tts1",
    "loquat.response_format": "mp3",
  });
  const steps = spans.filter((span) => span !== request);
  expect(steps.map(({ name }) => name).sort()).toEqual(["admit", "charge", "encode", "engine", "queue"]);
  expect(new Set(steps.map(({ traceId, parentSpanId }) => `${traceId} ${parentSpanId}`))).toEqual(
    new Set([`${TRACE} ${request.spanId}`]),
  );
  expect(steps.find(({ name }) => name === "engine")!.attributes).toMatchObject({ "loquat.engine": "flite" });
  expect(resource).toMatchObject({ "service.name": "loquat" });
  expect(logged.find(({ event }) => event === "request")).toMatchObject({ traceId: TRACE });
});

test("a refused request has the code of its error, and neither text nor organization", async () => {
  let organization = "";
  const { spans, logged } = await traced(async (harness) => {
    organization = harness.organizationId;
    expect((await speak(harness, { voice: "nobody", input: "Private words." })).status).toBe(404);
  });
  const request = spans.find(({ name }) => name.startsWith("POST"))!;
  expect(request.attributes).toMatchObject({
    "error.type": "invalid_voice",
    "http.response.status_code": 404,
  });
  expect(JSON.stringify(spans)).not.toContain("Private");
  expect(JSON.stringify(spans)).not.toContain(organization);
  expect(logged.find(({ event }) => event === "request_rejected")).toMatchObject({
    traceId: request.traceId,
  });
});

test("a caller that does not sample its trace gets no spans", async () => {
  const { spans } = await traced(async (harness) => {
    await speak(harness, {}, { traceparent: `00-${TRACE}-${CALLER}-00` });
  });
  expect(spans).toEqual([]);
});

test("a live session is one request of its trace", async () => {
  const { spans } = await traced(async (harness) => {
    const client = await dial(harness);
    client.update(MANUAL);
    client.append(new Uint8Array(48_000));
    await client.until("session.updated");
    client.close();
    await until(() => harness.logged.some(({ event }) => event === "request"));
  });
  const session = spans.find(({ name }) => name === "WS /v1/realtime")!;
  expect(session.attributes).toMatchObject({ "http.response.status_code": 101 });
  const ofSession = spans.filter(({ parentSpanId }) => parentSpanId === session.spanId);
  expect(new Set(ofSession.map(({ name }) => name))).toEqual(new Set(["admit", "charge"]));
});

test("a collector that refuses is logged once, what it did not get is counted, and requests go on", async () => {
  await using collector = openCollector();
  using cli = openCli();
  const server = await cli.serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=speech",
    OTEL_SERVICE_NAME: "speech-1",
    OTEL_BSP_SCHEDULE_DELAY: "20",
    LOG_FORMAT: "json",
  });
  const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
  const ask = () =>
    fetch(`${server.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Go on." }),
    });
  const dropped = async () =>
    Number(
      /^loquat_spans_dropped_total (\d+)$/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1],
    );
  collector.answer(400);
  for (const least of [1, 6]) {
    expect((await ask()).status).toBe(200);
    await until(async () => (await dropped()) >= least);
  }
  expect(server.complained().split('"trace_collector_unavailable"').length).toBe(2);
  collector.answer(200);
  expect((await ask()).status).toBe(200);
  await until(() => collector.spans.length !== 0);
  expect(collector.resource).toMatchObject({ "service.name": "speech-1" });
  expect(collector.headers.get("x-tenant")).toBe("speech");
  expect(await server.stop()).toBe(0);
  expect(server.complained()).toContain('"trace_collector_available"');
});

test.each<[Record<string, string>, string | null]>([
  [{}, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }, "http://collector:4318/v1/traces"],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector/in" }, "https://collector/in"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318", OTEL_SDK_DISABLED: "true" }, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318", OTEL_TRACES_EXPORTER: "none" }, null],
])("with %j traces go to %p", (environment, url) => {
  expect(readConfig(environment).traces?.url ?? null).toBe(url);
});

test("the library is imported only where traces are configured", () => {
  const source = readFileSync(new URL("../../src/server/monitoring/traces.ts", import.meta.url), "utf8");
  const imports = new Bun.Transpiler({ loader: "ts" }).scanImports(source);
  expect(imports.filter(({ path }) => path.includes("tracing/"))).toEqual([
    { kind: "dynamic-import", path: "../../tracing/open-telemetry.ts" },
  ]);
});

/** Promise: metrics are in the Prometheus text format, and recording never throws. */
import { expect, test } from "bun:test";
import { DEFINITIONS } from "../../src/metrics/definitions.ts";
import { openMetrics } from "../../src/metrics/metrics.ts";
import { loopTurn } from "../until.ts";

test("every metric has a help text, and its unit in its name", async () => {
  const text = await openMetrics().text();
  for (const [name, { type }] of DEFINITIONS) {
    expect(text).toContain(`# HELP ${name} `);
    expect(text).toContain(`# TYPE ${name} ${type}\n`);
    expect(name).toMatch(
      type === "counter" ? /_total$/ : /_(seconds|bytes|info|tasks|jobs|sessions|nodes|fds)$/,
    );
  }
});

test("no label names an organization, a key or a person", () => {
  const labels = new Set(DEFINITIONS.flatMap(([, definition]) => definition.labels));
  expect([...labels].filter((label) => /org|key|project|user|mail|ip|voice|id$/.test(label))).toEqual([]);
});

test("a histogram counts into its buckets, by label", async () => {
  const metrics = openMetrics();
  for (const seconds of [0.03, 0.3, 1000])
    metrics.record("loquat_engine_task_duration_seconds", seconds, { engine: "flite" });
  const text = await metrics.text();
  expect(text).toContain('loquat_engine_task_duration_seconds_bucket{le="0.05",engine="flite"} 1');
  expect(text).toContain('loquat_engine_task_duration_seconds_bucket{le="+Inf",engine="flite"} 3');
  expect(text).toContain('loquat_engine_task_duration_seconds_count{engine="flite"} 3');
});

test("values that are no finite numbers are left out", async () => {
  const metrics = openMetrics();
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
    metrics.record("loquat_realtime_lag_seconds", value);
  expect(await metrics.text()).toContain("loquat_realtime_lag_seconds_count 0");
});

test("counters count, and an observed metric is read each time", async () => {
  const metrics = openMetrics();
  let dropped = 3;
  metrics.count("loquat_requests_total");
  metrics.observe("loquat_log_lines_dropped_total", () => dropped);
  metrics.observe("loquat_live_sessions", () => 7);
  expect(await metrics.text()).toContain("loquat_log_lines_dropped_total 3");
  dropped = 4;
  const text = await metrics.text();
  for (const line of [
    "loquat_requests_total 1",
    "loquat_log_lines_dropped_total 4",
    "loquat_live_sessions 7",
  ])
    expect(text).toContain(`\n${line}\n`);
  expect(metrics.counters()).toMatchObject({ loquat_requests_total: 1, loquat_log_lines_dropped_total: 4 });
});

test("metrics of two servers in one process are apart", () => {
  const [one, other] = [openMetrics(), openMetrics()];
  one.count("loquat_requests_total");
  expect(other.counters().loquat_requests_total).toBe(0);
});

test("a value is added to a counter, and the sum over its labels is told", async () => {
  const metrics = openMetrics();
  metrics.add("loquat_audio_seconds_total", 1.5, { direction: "in", model: "svc-stt1" });
  metrics.add("loquat_audio_seconds_total", 2, { direction: "out", model: "svc-tts1" });
  for (const value of [Number.NaN, -1])
    metrics.add("loquat_audio_seconds_total", value, { direction: "in", model: "svc-stt1" });
  expect(metrics.counters().loquat_audio_seconds_total).toBe(3.5);
  expect(await metrics.text()).toContain('loquat_audio_seconds_total{direction="in",model="svc-stt1"} 1.5');
});

test("a flood of readers shares its texts, and none is older than its reader", async () => {
  const metrics = openMetrics();
  let reads = 0;
  metrics.observe("loquat_live_sessions", () => ++reads);
  const first = metrics.text();
  await loopTurn(); // it is being made
  const readsBefore = reads;
  const flood = await Promise.all(Array.from({ length: 500 }, () => metrics.text()));
  expect(new Set(flood).size).toBe(1);
  expect(flood[0]).not.toBe(await first);
  expect(flood[0]).toContain(`\nloquat_live_sessions ${readsBefore + 1}\n`);
});

test("each text is followed by a rest for other work", async () => {
  const metrics = openMetrics();
  let reads = 0;
  metrics.observe("loquat_live_sessions", () => ++reads);
  await metrics.text();
  const next = metrics.text();
  await loopTurn(); // other work, which the rest leaves time for
  expect(reads).toBe(1);
  expect(await next).toContain("\nloquat_live_sessions 2\n");
});

/** Promise: a server that answers no health checks gets no requests, before one of them has failed. */
import { afterEach, expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { presetWith, readPresets } from "../../src/upstreams/definition.ts";
import { openUpstream, type Upstream, type UpstreamOptions } from "../../src/upstreams/upstream.ts";
import { until } from "../until.ts";
import { openStandIn, respond, type StandIn, stream, tone } from "./stand-in.ts";

const presets = readPresets(readConfig({}).models.folder);
const preset = presetWith(presets, "openai", { health: { path: "/health", truth: "honest" } });
const open: (Upstream | StandIn)[] = [];
afterEach(async () => {
  for (const each of open.splice(0))
    if (Symbol.dispose in each) each[Symbol.dispose]();
    else await each[Symbol.asyncDispose]();
});

function standIn(answer: StandIn["answer"]): StandIn {
  const server = openStandIn(answer);
  open.push(server);
  return server;
}

function upstreamAt(urls: string[], credential: UpstreamOptions["credential"] = () => null) {
  const upstream = openUpstream({ preset, urls, credential, healthMs: 5 });
  open.push(upstream);
  return upstream;
}

const TASK = {
  text: "Good morning.",
  speaker: "alloy",
  language: "en-US",
  speed: 1,
  kind: "synthesis" as const,
  instructions: "",
};
const spoken: StandIn["answer"] = (_request, reply) => stream(reply, [tone(0.5)]);

test("another server gets its requests until it is well again, and then it is tried", async () => {
  let isWell = true;
  const sick = standIn((request, reply) => {
    if (request.path === "/health") respond(reply, isWell ? 200 : 503);
    else spoken(request, reply);
  });
  const upstream = upstreamAt([sick.url, standIn(spoken).url]);
  const runner = upstream.runner("tts-1", null);
  const speak = () => runner.run(TASK, [], soleClaim());
  const state = () => upstream.servers().find(({ url }) => url === sick.url)?.state;
  const asked = () => sick.requests.filter(({ path }) => path.endsWith("/speech")).length;
  await upstream.ready;
  isWell = false;
  await until(() => state() === "out");
  for (let turn = 0; turn < 5; turn++) await speak();
  expect(asked()).toBe(0);
  isWell = true;
  await until(() => state() === "trial");
  while (asked() === 0) await speak();
  expect(state()).toBe("up");
});

test("checks of a server whose key cannot be read have failed, and nothing worse", async () => {
  const server = standIn((_request, reply) => respond(reply, 200));
  const upstream = upstreamAt([server.url], () => {
    throw new Error("the file is gone");
  });
  await until(() => upstream.servers()[0]?.state === "out");
  expect(server.requests).toEqual([]);
});

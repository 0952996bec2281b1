/** Promise: an upstream speaks and recognizes; a task of any other kind is sent to no server, and to no fallback. */
import { expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import { presetWith, readPresets } from "../../src/upstreams/definition.ts";
import { openUpstream } from "../../src/upstreams/upstream.ts";
import type { Fallback } from "../../src/upstreams/upstream-runner.ts";
import { openStandIn } from "./stand-in.ts";

test("a task of a kind that no server does is refused by its kind", async () => {
  using server = openStandIn((_request, reply) => reply.reset());
  const presets = readPresets(readConfig({}).models.folder);
  await using upstream = openUpstream({
    preset: presetWith(presets, "openai", { health: null }),
    urls: [server.url],
    credential: () => null,
  });
  let fallbacks = 0;
  const fallback: Fallback = async () => {
    fallbacks++;
    return null as never;
  };
  const runner = upstream.runner("whisper-1", fallback);
  const search = { kind: "speech-search" as const, recording: new Float32Array(16_000) };
  await expect(runner.run(search)).rejects.toThrow("an upstream does no task of the kind speech-search");
  expect([server.requests.length, fallbacks]).toEqual([0, 0]);
});

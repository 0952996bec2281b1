/** Promise: all models of an upstream share the places of its servers, and organizations take turns over all of them. */
import { expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import { openRegistry } from "../../src/engine/registry.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { engineName } from "../../src/upstreams/definition.ts";
import { openLiveUpstreams, openUpstreamSet } from "../../src/upstreams/upstreams.ts";
import { takes } from "../until.ts";
import { openStandIn, stream, tone } from "../upstreams/stand-in.ts";

const MODELS = ["x", "y", "z"];

test("an organization that floods three models has half of the turns beside one that uses a single one", async () => {
  using server = openStandIn(async (_request, reply) => {
    await takes(20);
    stream(reply, [tone(0.5)]);
  });
  const set = openUpstreamSet(readConfig({}).models.folder);
  const voice = { id: "voice", speaker: "alloy", name: "Alloy", languages: ["en"] };
  const models = MODELS.map((model) => ({ type: "tts", model, upstream_model: model, voices: [voice] }));
  const faults = set.use([
    {
      ...{
        name: "shared",
        preset: "openai",
        urls: [server.url],
        credential: null,
        added: "2026-11-23",
        models,
      },
      flags: { health: null, max_in_flight: 2 },
    },
  ]);
  expect(faults).toEqual([]);
  await using live = openLiveUpstreams(set);
  await using registry = openRegistry((name) => live.spec(name)!);
  const ask = (model: string, organization: string) =>
    registry.engine(engineName({ name: "shared" }, { model })).run(
      {
        text: `${organization} says hello.`,
        speaker: "alloy",
        language: "en",
        speed: 1,
        kind: "synthesis" as const,
        instructions: "",
      },
      { ...soleClaim(), organization, request: organization },
    );
  const flood = MODELS.flatMap((model) => Array.from({ length: 12 }, () => ask(model, "many")));
  const few = Array.from({ length: 8 }, () => ask("x", "few"));
  await Promise.all(few);
  const before = server.requests.filter(({ body }) => body.includes("many")).length;
  await Promise.all(flood);
  expect(server.most()).toBe(2);
  expect(before).toBeLessThanOrEqual(8 + 4); // in turn, and those that were first
});

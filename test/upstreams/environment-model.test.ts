/** Promise: a language model that the environment names is found by what its server answers, also if that answers later. */
import { expect, test } from "bun:test";
import { openHarness } from "../harness.ts";
import { openStub } from "../llm-stub.ts";
import { until } from "../until.ts";

const modelOf = (harness: Awaited<ReturnType<typeof openHarness>>) =>
  until(() => harness.parts.upstreams.languageModel(null));

test("is used without a command, with or without /v1 in its address", async () => {
  await using stub = await openStub();
  for (const LOQUAT_LLM_URL of [stub.url, `${stub.url}/v1`, `${stub.url}/v1/`]) {
    const environment = { LOQUAT_LLM_URL, LOQUAT_LLM_MODEL: "echo", LOQUAT_LLM_API: "vllm" };
    await using harness = await openHarness({ environment });
    const model = await modelOf(harness);
    expect(model).toMatchObject({ model: "echo", leavesHost: false });
    expect(await model.contextTokens()).toBe(8192);
  }
});

test("is the only one that a server lists, of the kind that it answers as", async () => {
  const lists = { data: [{ id: "Qwen3:8B" }] };
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: { "/api/version": () => Response.json({}), "/v1/models": () => Response.json(lists) },
    fetch: () => new Response(null, { status: 404 }),
  });
  const environment = { LOQUAT_LLM_URL: server.url.origin };
  await using harness = await openHarness({ environment });
  await modelOf(harness);
  const [definition] = harness.parts.upstreams.set.list();
  expect(definition).toMatchObject({
    definition: { preset: "ollama", models: [{ type: "llm", upstream_model: "Qwen3:8B" }] },
  });
});

test("is reported once where its server lists several", async () => {
  await using stub = await openStub();
  await using harness = await openHarness({
    environment: { LOQUAT_LLM_URL: stub.url, LOQUAT_LLM_API: "vllm" },
  });
  const [line] = await until(() => {
    const lines = harness.logged.filter(({ event }) => event === "language_model_unknown");
    return lines.length > 0 && lines;
  });
  expect(JSON.stringify(line)).toContain("LOQUAT_LLM_MODEL");
});

test("is asked again where its server starts later, and is then what it is", async () => {
  const place = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = place;
  await place.stop(true);
  const environment = { LOQUAT_LLM_URL: `http://127.0.0.1:${port}`, LOQUAT_LLM_MODEL: "qwen3" };
  await using harness = await openHarness({ environment });
  await until(() => harness.logged.some(({ event }) => event === "language_model_unknown"));
  expect(harness.parts.upstreams.languageModel(null)).toBeNull();
  await using _server = Bun.serve({ port: port!, hostname: "127.0.0.1", fetch: () => Response.json({}) });
  await modelOf(harness);
  expect(harness.parts.upstreams.set.list()[0]).toMatchObject({ definition: { preset: "ollama" } });
}, 120_000);

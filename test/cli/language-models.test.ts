/** Promise: commands say of each language model whether it answers, what it does, and what fails. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { openStub, type Stub } from "../llm-stub.ts";
import { type Cli, openCli } from "./process.ts";

setDefaultTimeout(120_000);

let cli: Cli;
let stub: Stub;
beforeAll(async () => {
  stub = await openStub({ firstMs: 5, tokensPerSecond: 1000 });
  cli = openCli();
  const server = await cli.serve({ LOG_LEVEL: "silent" });
  await server.stop();
});
afterAll(async () => {
  cli[Symbol.dispose]();
  await stub[Symbol.asyncDispose]();
});

const add = (name: string, ...models: string[]) =>
  cli.runInTurn(["upstream", "add", name, "--url", stub.url, "--api", "vllm", "--model", ...models]);

test("a language model that another upstream has is refused, and other ids are added", async () => {
  expect(await add("brain", "llm:echo", "llm:error:500=failing")).toMatchObject({ code: 0 });
  const refused = await add("other", "llm:echo");
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("models.0.model is echo, which the upstream brain has");
  expect(await add("other", "llm:tool", "llm:nousage")).toMatchObject({ code: 0 });
});

test("doctor asks each for a token, also the environment's, and says what fails", async () => {
  const asked = stub.calls.length;
  const environment = { LOQUAT_LLM_URL: stub.url, LOQUAT_LLM_MODEL: "long", LOQUAT_LLM_API: "vllm" };
  const { code, out } = await cli.runInTurn(["doctor"], environment);
  expect(code).toBe(0);
  expect(out).toMatch(/^ {2}ready {4}language model echo of brain: answered in \d+ ms$/m);
  expect(out).toMatch(/^ {2}failed {3}language model failing of brain: .*an internal failure/m);
  expect(out).toMatch(/^ {2}ready {4}language model long of language-model: answered/m);
  expect(stub.calls.slice(asked).filter(({ body }) => body.model === "long")).toHaveLength(1);
  const { out: json } = await cli.runInTurn(["doctor", "--json"]);
  expect(JSON.parse(json).language_models).toMatchObject([
    { model: "echo", upstream: "brain", ok: true },
    { model: "failing", upstream: "brain", ok: false },
    { model: "tool", upstream: "other", ok: true },
    { model: "nousage", upstream: "other", ok: true },
  ]);
});

test("a check measures each, and names the flags of the preset that are wrong", async () => {
  const { code, out } = await cli.runInTurn(["models", "check", "other"]);
  expect(code).toBe(1);
  expect(out).toMatch(/^ok {7}other\/tool$/m);
  expect(out).toMatch(/calls functions: get_weather/);
  expect(out).toContain("reads 8192 tokens");
  expect(out).toContain("differs  other/nousage: chat.usage: the tokens of an answer are not counted");
  expect(out).toContain("differs  other/nousage: chat.tool_choice: no function was called");
  const failing = await cli.runInTurn(["models", "check", "brain"]);
  expect(failing.out).toMatch(/^failed {3}brain\/failing: .*500/m);
  expect(failing.out).toMatch(/first token after \d+ of \d+ ms, 12 tokens/);
});

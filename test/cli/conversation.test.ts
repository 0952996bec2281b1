/** Promise: an operator sets who callers talk to by command, tries it, and a running server follows within seconds. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dial } from "../api/v1/realtime/live.ts";
import { openStub, type Stub } from "../llm-stub.ts";
import { until } from "../until.ts";
import { type Cli, openCli } from "./process.ts";

setDefaultTimeout(120_000);

let cli: Cli;
let stub: Stub;
let server: Awaited<ReturnType<Cli["serve"]>>;
beforeAll(async () => {
  stub = await openStub({ firstMs: 5, tokensPerSecond: 1000 });
  cli = openCli();
  server = await cli.serve({ LOG_LEVEL: "silent", LOQUAT_PLAN: "unmetered" });
  await cli.run([
    ...["upstream", "add", "brain", "--url", stub.url, "--api", "vllm"],
    ...["--model", "llm:echo", "llm:error:500=failing"],
  ]);
});
afterAll(async () => {
  await server.stop();
  cli[Symbol.dispose]();
  await stub[Symbol.asyncDispose]();
});

const run = async (...args: string[]) => {
  const { code, out, err } = await cli.runInTurn(["conversation", ...args]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out;
};
const refusal = async (...args: string[]) => {
  const { code, err } = await cli.runInTurn(["conversation", ...args]);
  return { code, err: err.split("\n")[0]! };
};
const list = async () => JSON.parse(await run("list", "--json")).data as { name: string; default: boolean }[];

test("the built-in one is listed until others are set; what is set later is changed alone", async () => {
  expect(await run("list")).toMatch(/^assistant +yes +first +first +first +first +-$/m);
  const file = join(cli.folder, "persona.md");
  writeFileSync(file, "You are Ada.\n");
  expect(await run("set", "support", "--llm", "echo", "--instructions-file", file, "--resume", "off")).toBe(
    "support asks echo, listens with the first STT model and speaks with the first voice of the first TTS model; it is the default.\n",
  );
  const changed = await run("set", "support", "--voice", "female-warm", "--greeting", "Hello.", "--json");
  expect(JSON.parse(changed)).toEqual({
    ...{ object: "conversation", name: "support", llm: "echo", stt: null, tts: null, voice: "female-warm" },
    ...{ instructions: "You are Ada.", greeting: "Hello.", interruption_ms: 240, backchannels: false },
    ...{ resume: false, speculate: "auto", max_output_tokens: null, default: true },
  });
  const short = await run("set", "support", "--max-output-tokens", "200", "--json");
  expect(JSON.parse(short)).toMatchObject({ max_output_tokens: 200 });
  const unlimited = await run("set", "support", "--max-output-tokens", "inf", "--json");
  expect(JSON.parse(unlimited)).toMatchObject({ max_output_tokens: null });
  const cleared = await run("set", "support", "--voice", "", "--greeting", "", "--json");
  expect(JSON.parse(cleared)).toMatchObject({ voice: null, greeting: null, llm: "echo" });
});

test("another one is made the default, and the last is removed", async () => {
  await run("set", "night");
  await run("default", "night");
  expect(await list()).toMatchObject([
    { name: "night", default: true },
    { name: "support", default: false },
  ]);
  await run("remove", "night");
  expect(await list()).toMatchObject([{ name: "support", default: true }]);
});

test("mistakes are explained", async () => {
  expect(await refusal("set", "support", "--llm", "gone")).toEqual({
    ...{ code: 1, err: "llm is gone. Language models: echo, failing." },
  });
  expect(await refusal("set", "support", "--voice", "unknown")).toMatchObject({ code: 1 });
  expect(await refusal("default", "unknown")).toEqual({
    ...{ code: 2, err: 'There is no conversation unknown. See "loquat conversation list".' },
  });
  expect(await refusal("remove", "unknown")).toMatchObject({ code: 2 });
  expect(await refusal("set", "support", "--instructions-file", "missing.md")).toMatchObject({ code: 2 });
  expect(await refusal("set", "support", "--speculate", "maybe")).toMatchObject({ code: 2 });
  expect(await refusal("set", "support", "--max-output-tokens", "many")).toMatchObject({ code: 2 });
});

test("a running server uses an edited one within seconds", async () => {
  const key = (await Bun.file(join(cli.folder, "data", "first-key")).text()).trim();
  await run("set", "support", "--instructions", "Speak like a pirate.");
  await until(async () => {
    const client = await dial({ ...server, key }, { query: "model=support" });
    // until the server has read what was set it may know no such conversation
    const created = (await client.until("session.created").catch(() => null)) as unknown as {
      session: { instructions: string };
    } | null;
    client.close();
    return created?.session.instructions === "Speak like a pirate.";
  }, 50);
});

test("one is tried: what it heard, its answer, and the time of each stage", async () => {
  const asked = stub.calls.length;
  const tried = JSON.parse(await run("try", "support", "--say", "What time is it?", "--json"));
  expect(tried).toMatchObject({ name: "support", heard: "what time is it", failure: null });
  expect(tried.answer).toBe("You said: what time is it.");
  expect(tried.latency.transcript_ms).toBeGreaterThan(100);
  expect(tried.latency.first_sound_ms).toBeGreaterThan(tried.latency.transcript_ms);
  const questions = stub.calls.slice(asked).filter(({ body }) => body.messages.at(-1)?.role === "user");
  expect(questions.length).toBeGreaterThan(0);
  const printed = await run("try", "support", "--say", "What time is it?");
  expect(printed).toMatch(/^Heard {3}what time is it\nAnswer {2}You said: what time is it\.$/m);
  expect(printed).toMatch(/^ {2}first sound +\d+ ms$/m);
});

test("one that does not answer fails with the reason", async () => {
  await run("set", "broken", "--llm", "error:500");
  const { code, out } = await cli.run(["conversation", "try", "broken", "--say", "What time is it?"]);
  expect(code).toBe(1);
  expect(out).toContain("failed  The language model failed. Try again.");
});

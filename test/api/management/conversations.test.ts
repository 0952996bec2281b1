/** Promise: an operator's page sets conversations that can be held, says what is wrong with others, and removes them. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { errorOf, type Harness } from "../../harness.ts";
import { openAccountsHarness, type Person, signUp } from "./people.ts";

const llm = (model: string) => ({ type: "llm", model, upstream_model: `${model}:8b` });
const upstream = (name: string, preset: string, model: string) => ({
  ...{ name, preset, urls: ["http://127.0.0.1:9"], credential: null, flags: {}, added: "2026-11-23" },
  models: [llm(model)],
});
const UPSTREAMS = [upstream("cloud", "openrouter", "giant"), upstream("here", "ollama", "qwen")];

let harness: Harness;
let operator: Person;
beforeAll(async () => {
  harness = await openAccountsHarness();
  operator = await signUp(harness, "root@example.com");
  harness.parts.upstreams.use(UPSTREAMS);
});
afterEach(async () => {
  harness.parts.upstreams.use(UPSTREAMS);
  const { conversations } = harness.parts;
  for (const { name } of conversations.current()) await conversations.remove(name);
});
afterAll(() => harness[Symbol.asyncDispose]());

const PATH = "/api/operator/conversations";
type Listed = { data: { name: string; is_default: boolean; problems: string[] }[]; choices: Choices };
type Choices = Record<"llm" | "stt" | "tts" | "voice", { id: string }[]>;
const put = (body: object) => operator.json(PATH, body, { method: "PUT" });
const list = async () => (await operator.json(PATH)) as Listed;
const send = async (path: string, method: string) =>
  (await operator.ask(`${PATH}/${path}`, undefined, { method })).status;

test.each([
  ["a name with a space", { name: "two words" }, "name"],
  ["the name of a model", { name: "svc-stt1" }, "name"],
  ["a language model that no upstream has", { llm: "gone" }, "llm"],
  ["a model that does not listen", { stt: "svc-tts1" }, "stt"],
  ["a model that does not speak", { tts: "svc-stt1" }, "tts"],
  ["an unknown voice", { voice: "unknown" }, "voice"],
  ["a long greeting", { greeting: "a".repeat(2001) }, "greeting"],
  ["an interruption of minutes", { interruption_ms: 60_000 }, "interruption_ms"],
  ["answers of no token", { max_output_tokens: 0 }, "max_output_tokens"],
  ["an unknown way to guess", { speculate: "maybe" }, "speculate"],
])("%s is refused by its field, and nothing is stored", async (_claim, fields, param) => {
  const body = { name: "support", ...fields };
  const { status, code, details } = await errorOf(await operator.ask(PATH, body, { method: "PUT" }));
  expect({ status, code }).toEqual({ status: 422, code: "validation_error" });
  expect(details!.map(({ field }) => field)).toEqual([param]);
  expect(harness.parts.conversations.current()).toEqual([]);
});

test("the built-in one is listed until another is set; one of them is the default", async () => {
  expect((await list()).data).toMatchObject([{ name: "assistant", is_built_in: true, is_default: true }]);
  const saved = await put({ name: "support", llm: "qwen:8b", voice: "female-warm", greeting: "Hello." });
  expect(saved).toMatchObject({
    ...{ object: "conversation", llm: "qwen", is_default: true, is_built_in: false, leaves_host: false },
    ...{ interruption_ms: 240, speculate: "auto", problems: [] },
  });
  await put({ name: "sales" });
  expect(await send("sales/default", "POST")).toBe(204);
  expect((await list()).data).toMatchObject([
    { name: "sales", is_default: true, leaves_host: true },
    { name: "support", is_default: false },
  ]);
  expect(await send("support", "DELETE")).toBe(204);
  expect(await send("support", "DELETE")).toBe(404);
  expect(await send("support/default", "POST")).toBe(404);
});

test("what may be named is listed, and what is gone is said", async () => {
  const { choices } = await list();
  expect(choices.llm).toEqual([
    { id: "giant", name: "giant:8b, at cloud", leaves_host: true } as { id: string },
    { id: "qwen", name: "qwen:8b, at here", leaves_host: false } as { id: string },
  ]);
  expect(choices.stt.map(({ id }) => id)).toContain("svc-stt1");
  expect(choices.voice.map(({ id }) => id)).toContain("female-warm");
  await put({ name: "support", llm: "qwen" });
  harness.parts.upstreams.use([]);
  expect((await list()).data[0]!.problems).toEqual(["The server has no language model for it."]);
});

/** Promise: of two upstreams with a language model of one id, none hides the other without a word. */
import { expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import { openUpstreamSet } from "../../src/upstreams/upstreams.ts";

const { folder } = readConfig({}).models;

const definition = (name: string, models: object[]) => ({
  ...{
    name,
    preset: "vllm",
    urls: ["http://10.0.0.5:8000"],
    credential: null,
    flags: {},
    added: "2026-11-23",
  },
  models,
});
const llm = (model: string) => ({ type: "llm", model, upstream_model: model });
const asked = ({ languageModels }: ReturnType<typeof openUpstreamSet>) =>
  languageModels().map(({ definition: { name }, entry: { model } }) => `${name}/${model}`);

test("a language model that another upstream has is refused by its field; the upstream itself may be replaced", () => {
  const set = openUpstreamSet(folder);
  expect(set.use([definition("one", [llm("tiny"), llm("large")])])).toEqual([]);
  expect(() => set.check(definition("two", [llm("medium"), llm("tiny")]))).toThrow(
    "models.1.model is tiny, which the upstream one has: give it another id, or give both servers to one upstream.",
  );
  expect(set.check(definition("one", [llm("tiny")])).name).toBe("one");
  expect(set.check(definition("two", [llm("medium")])).name).toBe("two");
});

test("models that speak or listen may be several upstreams', as before", () => {
  const set = openUpstreamSet(folder);
  const stt = { type: "stt", model: "gpu-stt", upstream_model: "whisper", languages: ["en"] };
  set.use([definition("one", [stt])]);
  expect(set.check(definition("two", [stt])).name).toBe("two");
});

test("what is stored or in variables all the same is reported, and the first by name is asked, the variables' before", () => {
  const set = openUpstreamSet(folder);
  expect(set.use([definition("two", [llm("tiny")]), definition("one", [llm("tiny")])])).toEqual([
    "two: its language model tiny is not asked, because one has one of this id.",
  ]);
  expect(asked(set)).toEqual(["one/tiny", "two/tiny"]);
  const environment = set.check(definition("language-model", [llm("large")]));
  const clashing = { ...environment, models: definition("one", [llm("tiny")]).models } as typeof environment;
  expect(set.addFromEnvironment(clashing)).toEqual([
    "one: its language model tiny is not asked, because language-model has one of this id.",
    "two: its language model tiny is not asked, because language-model has one of this id.",
  ]);
  expect(asked(set)[0]).toBe("language-model/tiny");
});

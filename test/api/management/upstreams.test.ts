/** Promise: an operator's page adds no upstream that cannot be used, sends no secret of the server away, and tests briefly. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { errorOf, type Harness } from "../../harness.ts";
import { openStandIn, respond, type StandIn, stream, tone } from "../../upstreams/stand-in.ts";
import { openAccountsHarness, type Person, signUp } from "./people.ts";

let harness: Harness;
let operator: Person;
let far: StandIn;
beforeAll(async () => {
  far = openStandIn(({ path, headers }, reply) => {
    if (path.endsWith("/models")) return respond(reply, 200, { body: '{"data":[{"id":"acme-tts"}]}' });
    if (headers.includes("authorization: bearer sk-far")) return stream(reply, [tone(0.5)]);
    respond(reply, 401, { body: '{"error":"no key"}' });
  });
  harness = await openAccountsHarness();
  operator = await signUp(harness, "root@example.com");
});
afterAll(async () => {
  far[Symbol.dispose]();
  await harness[Symbol.asyncDispose]();
  delete process.env.UPSTREAM_FAR_KEY;
});

const PATH = "/api/operator/upstreams";
const body = (fields: object = {}) => ({ name: "far", preset: "openai", urls: [far.url], ...fields });
const refused = async (fields: object) => errorOf(await operator.ask(PATH, body(fields)));

test.each([
  ["another variable of the server", { key_env: "STRIPE_SECRET_KEY" }, "key_env"],
  ["a variable without a value", { key_env: "UPSTREAM_FAR_KEY" }, "credential"],
  ["an unknown preset", { preset: "nothing" }, "preset"],
  ["an address with a password", { urls: ["http://me:secret@127.0.0.1:9"] }, "urls"],
  ["a file", { urls: ["file:///etc/passwd"] }, "urls"],
  ["a script", { urls: ["javascript:alert(1)"] }, "urls"],
  ["a bucket", { urls: ["s3://bucket/models"] }, "urls"],
  ["an address that nobody answers", { urls: ["http://127.0.0.1:9"] }, "urls"],
  ["a list that is followed although models are named", { models: ["acme-tts"], follow: true }, "follow"],
  ["a name that is no name", { name: "../far" }, "name"],
])("%s is refused by its field, and nothing is stored", async (_claim, fields, param) => {
  const { status, code, details } = await refused(fields);
  expect({ status, code }).toEqual({ status: 422, code: "validation_error" });
  expect(details!.map(({ field }) => field.split(".")[0])).toEqual([param]);
  expect(harness.parts.upstreams.set.list()).toEqual([]);
});

test("an upstream is offered at once, tested with its key, and removed", async () => {
  type Listed = { data: { name: string; models: object[]; servers: { state: string }[] }[] };
  process.env.UPSTREAM_FAR_KEY = "sk-old";
  const added = await operator.json(PATH, body({ key_env: "UPSTREAM_FAR_KEY", voices: ["ada"] }));
  const sample = { model: "acme-tts", voice: "ada", language: "en" };
  expect(added).toMatchObject({
    name: "far",
    source: "own",
    models: [{ id: "acme-tts", type: "tts", sample }],
  });
  expect(harness.parts.catalogue.find("acme-tts")?.version).not.toBeNull();
  const attempt = () => operator.json(`${PATH}/far/test`, undefined, { method: "POST" });
  expect(await attempt()).toMatchObject({ data: [{ model: "acme-tts", ok: false }] });
  process.env.UPSTREAM_FAR_KEY = "sk-far";
  expect(await attempt()).toMatchObject({ data: [{ model: "acme-tts", ok: true }] });
  const text = await (await operator.ask(PATH)).text();
  expect(text).not.toContain("sk-far");
  expect((JSON.parse(text) as Listed).data).toMatchObject([{ name: "far", servers: [] }]);
  expect((await operator.ask(`${PATH}/far`, undefined, { method: "DELETE" })).status).toBe(204);
  expect((await operator.ask(`${PATH}/far`, undefined, { method: "DELETE" })).status).toBe(404);
  expect((await operator.ask(`${PATH}/far/test`, undefined, { method: "POST" })).status).toBe(404);
  expect(harness.parts.catalogue.find("acme-tts")).toBeNull();
});

test("a server whose list is followed says so, and keeps what the page said of it", async () => {
  const added = await operator.json(PATH, body({ name: "followed", voices: ["ada"], follow: true }));
  expect(added).toMatchObject({ name: "followed", follows: true });
  const { definition } = harness.parts.upstreams.set.list()[0]!;
  expect(definition.follow).toEqual({ languages: [], voices: ["ada"], fallback: null, price_micros: null });
  expect((await operator.ask(`${PATH}/followed`, undefined, { method: "DELETE" })).status).toBe(204);
});

/** Promise: a followed upstream offers what its server lists, also when that changes; failures and edits change nothing. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import type { Definition } from "../../src/upstreams/definition.ts";
import { discovered } from "../../src/upstreams/discovered-definition.ts";
import { openUpstreamAdmin, type UpstreamAdmin } from "../../src/upstreams/edits.ts";
import { followModels } from "../../src/upstreams/followed-models.ts";
import { knownFrom } from "../../src/upstreams/operations.ts";
import { openUpstreamSet, type UpstreamSet } from "../../src/upstreams/upstreams.ts";
import { quietFor, until } from "../until.ts";
import { openStandIn, respond, type StandIn } from "./stand-in.ts";

const { folder } = readConfig({}).models;

let far: StandIn;
let listed: string[];
let stored: Map<string, Definition>;
let set: UpstreamSet;
let admin: UpstreamAdmin;
let logged: string[];
let asks: number;
beforeEach(() => {
  [listed, stored, logged, asks] = [["one"], new Map(), [], 0];
  far = openStandIn((_request, reply) => {
    asks++;
    respond(reply, listed.includes("broken") ? 500 : 200, { body: JSON.stringify({ data: listed }) });
  });
  set = openUpstreamSet(folder);
  const store = {
    list: async () => structuredClone([...stored.values()]),
    put: async (definition: Definition) => void stored.set(definition.name, definition),
    delete: async (name: string) => void stored.delete(name),
  };
  admin = openUpstreamAdmin(store, set);
});
afterEach(() => far[Symbol.dispose]());

async function add(follows: boolean): Promise<void> {
  const additions = {
    choices: [],
    languages: [],
    voices: ["ada"],
    fallback: null,
    priceMicros: 5,
    tokenMicros: null,
  };
  const upstream = { name: "far", preset: "openai", urls: [far.url], credential: null, flags: {} };
  const deps = { set, ...knownFrom(folder), credential: () => null, today: "2026-11-23" };
  await admin.put(await discovered({ ...upstream, additions, follows }, deps, AbortSignal.timeout(5000)));
}

const note = (event: string) => void logged.push(event);
const follow = () => followModels({ set, admin, folder, everyMs: 5, log: { info: note, warn: note } });
const offered = () => set.list().flatMap(({ definition }) => definition.models.map(({ model }) => model));
const asked = (more: number) => {
  const least = asks + more;
  return until(() => asks >= least);
};

test("models that the server lists later are offered, and those that are gone are not", async () => {
  await add(true);
  await using _ = follow();
  listed = ["two", "whisper-three"];
  await until(() => logged.includes("upstream_models_changed"));
  expect(offered()).toEqual(["two", "whisper-three"]);
  expect(stored.get("far")).toMatchObject({ added: "2026-11-23", models: [{ price_micros: 5 }, {}] });
  await asked(3);
  expect(logged).toEqual(["upstream_models_changed"]);
});

test.each([
  ["fails", ["broken"]],
  ["lists nothing", []],
])("a server that %s keeps its models, and is logged once", async (_claim, names) => {
  await add(true);
  await using _ = follow();
  listed = names;
  await asked(4);
  expect(offered()).toEqual(["one"]);
  expect(logged).toEqual(["upstream_models_unknown"]);
});

test("an upstream that is not followed is not asked again", async () => {
  await add(false);
  const before = asks;
  await using _ = follow();
  listed = ["two"];
  await quietFor(50);
  expect([asks, offered()]).toEqual([before, ["one"]]);
});

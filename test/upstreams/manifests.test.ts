/** Promise: a model that an upstream offers too costs what it costs here, unless its definition has a price. */
import { expect, test } from "bun:test";
import { readManifests, type SttManifest } from "../../src/models/manifest.ts";
import { resource } from "../../src/resources.ts";
import { openUpstreamSet } from "../../src/upstreams/upstreams.ts";

const FAR = { preset: "openai", credential: null, added: "2026-11-23", urls: ["http://far"], flags: {} };
const MODEL = { type: "stt", model: "svc-stt1", upstream_model: "theirs", languages: ["en"] };

test.each([
  ["the same, also in the background", {}, { price_micros: 7, background_price_micros: 3 }],
  ["its own price for both", { price_micros: 5 }, { price_micros: 5 }],
])("a model of an upstream has %s", (_what, own, prices) => {
  const folder = resource("models");
  const shipped = readManifests(folder).map((each) =>
    each.type === "stt" ? { ...each, price_micros: 7, background_price_micros: 3 } : each,
  );
  const set = openUpstreamSet(folder);
  expect(set.use([{ name: "far", ...FAR, models: [{ ...MODEL, ...own }] }])).toEqual([]);
  const { price_micros, ...manifest } = set.manifests(shipped)[0] as SttManifest;
  const { background_price_micros } = manifest;
  expect({ price_micros, ...(background_price_micros !== undefined && { background_price_micros }) }).toEqual(
    prices,
  );
});

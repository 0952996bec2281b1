/** The catalogue and the aliases that a release ships, with the built-in engines, and what tests ask of them. */
import { readConfig } from "../../src/config/config.ts";
import { type Alias, readAliases } from "../../src/models/aliases.ts";
import { buildCatalogue, withNames } from "../../src/models/catalogue.ts";
import { readManifests } from "../../src/models/manifest.ts";
import { readPackages } from "../../src/models/packages/package.ts";

const { folder } = readConfig({}).models;
export const manifests = readManifests(folder);
export const packages = readPackages(folder);
export const shipped = readAliases(folder);
export const builtIn = (engine: string) => ["flite", "espeak", "sphinx"].includes(engine);
export const catalogue = buildCatalogue(manifests, builtIn);
export const named = withNames(catalogue, shipped);

export const namesIn = (aliases: readonly Alias[], kind: Alias["kind"]): string[] =>
  aliases.filter((alias) => alias.kind === kind).map(({ name }) => name);

export const speech = (fields: object) => ({
  ...{ model: "tts-1", voice: "alloy", format: null, speed: 1, streaming: false },
  ...fields,
});

export const alias = (fields: Partial<Alias>): Alias => ({
  ...{ kind: "model", name: "mine", targets: ["svc-tts1"], format: null },
  ...fields,
});

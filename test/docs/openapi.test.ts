/**
 * Promise: openapi.json passes Redocly's recommended rules, describes every field, and a client generated from it
 * compiles and talks to the server.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Harness, openHarness } from "../harness.ts";
import { installTools } from "../tools.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DOCUMENT = join(ROOT, "openapi.json");

const tools = installTools(
  "openapi-typescript@7.13.0",
  "openapi-fetch@0.17.0",
  "@redocly/openapi-core@2.64.0",
  "typescript@5.9.3", // the generator needs another than ours
);
const needsTools = test.skipIf(!tools.isInstalled);

needsTools(`openapi.json passes the recommended rules of Redocly${tools.unless}`, async () => {
  const { createConfig, lintFromString } = await import(tools.at("@redocly/openapi-core/lib/index.js"));
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: readFileSync(DOCUMENT, "utf8"), config });
  expect(
    problems.map(({ ruleId, message }: { ruleId: string; message: string }) => [ruleId, message]),
  ).toEqual([]);
});

const CLIENT = `
import createClient from "openapi-fetch";
import type { paths } from "./api";
declare const process: { argv: string[] };
const [baseUrl = "", key = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: "Bearer " + key } });
const models = await client.GET("/v1/models", { params: { query: { type: "tts" } } });
const body = { model: "svc-tts1", input: "Hi.", voice: "female-warm" };
const speech = await client.POST("/v1/audio/speech", { body, parseAs: "arrayBuffer" });
const refused = await client.POST("/v1/audio/speech", { body: { ...body, voice: "zoe" } });
const bytes: ArrayBuffer | undefined = speech.data as ArrayBuffer | undefined;
const ids: string[] | undefined = models.data?.data.map(({ id }) => id);
console.log(JSON.stringify({ ids, audio: bytes?.byteLength, code: refused.error?.error.code }));
`;

let folder: string;
let server: Harness;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "loquat-client-"));
  server = await openHarness();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server[Symbol.asyncDispose]();
});

const run = async (...command: string[]) => {
  const child = Bun.spawn(command, { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(" ")}: ${output}${errors}`);
  return output;
};

needsTools(`a client generated from openapi.json compiles and calls the server${tools.unless}`, async () => {
  symlinkSync(tools.at("."), join(folder, "node_modules"));
  writeFileSync(join(folder, "client.ts"), CLIENT);
  await run(process.execPath, tools.at("openapi-typescript/bin/cli.js"), DOCUMENT, "-o", "api.d.ts");
  const options = ["--strict", "--skipLibCheck", "--target", "esnext", "--module", "esnext"];
  const tsc = tools.at("typescript/bin/tsc");
  await run(process.execPath, tsc, "--noEmit", ...options, "--moduleResolution", "bundler", "client.ts");
  const reply = JSON.parse(await run(process.execPath, "client.ts", server.url, server.key));
  expect(reply).toMatchObject({ ids: ["svc-tts1", "svc-tts2"], code: "invalid_voice" });
  expect(reply.audio).toBeGreaterThan(1000);
});

type Schema = {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  $ref?: string;
};

/** Paths of the fields without a description; what has only one value needs none. */
function undescribed(schema: Schema, at: string): string[] {
  const paths = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description || field.$ref || "const" in field || field.properties ? [] : [`${at}.${name}`]),
    ...undescribed(field, `${at}.${name}`),
  ]);
  const parts = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? [])];
  return [...paths, ...parts.flatMap((part) => undescribed(part, at))];
}

test("every field of the public API has a description", () => {
  const { paths, components } = JSON.parse(readFileSync(DOCUMENT, "utf8"));
  type Body = { content: Record<string, { schema: Schema }> };
  const bodies = Object.entries<Record<string, { requestBody?: Body }>>(paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ requestBody }) =>
      Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => undescribed(schema, path)),
    ),
  );
  const shared = Object.entries<Schema>(components.schemas).flatMap(([name, schema]) =>
    undescribed(schema, name),
  );
  expect([...bodies, ...shared]).toEqual([]);
});

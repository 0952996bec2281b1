/** Promise: a start loads no package that only some settings or some requests need. */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";

const LOADED_WHEN_NEEDED = [
  "stripe",
  "pg",
  "ioredis",
  "nodemailer",
  "better-auth",
  "@elysiajs/openapi",
  "@homebridge/ciao",
  "onnxruntime-node",
];

/** The packages that a file imports, directly or through others, apart from what is imported at run time. */
async function packagesOf(entry: string): Promise<Set<string>> {
  const { metafile } = await Bun.build({
    entrypoints: [entry],
    target: "bun",
    splitting: true,
    metafile: true,
  });
  const inputs = metafile!.inputs;
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path) || !inputs[path]) return;
    seen.add(path);
    for (const { path: next, kind } of inputs[path].imports) if (kind !== "dynamic-import") visit(next);
  };
  visit(Object.keys(inputs).find((path) => entry.endsWith(`/${path}`))!);
  return new Set(
    Array.from(seen).flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
}

test("serve imports only what every server needs", async () => {
  const packages = await packagesOf(
    fileURLToPath(new URL("../../src/cli/commands/serve.ts", import.meta.url)),
  );
  expect(packages).toContain("elysia");
  expect(LOADED_WHEN_NEEDED.filter((name) => packages.has(name))).toEqual([]);
});

/** Promise: code snippets survive any text in them, and never contain a key unless one is given. */
import { expect, test } from "bun:test";
import { speechCurl, speechSnippets } from "../../src/web/lib/snippets.ts";

const BASE = "https://loquat.example/v1";
const request = { model: "svc-tts1", voice: "female-warm", input: `It's "5 $" \\ é\n` };

test("a shell passes the body of the curl command on unchanged", () => {
  const command = speechCurl(BASE, request).replace(/^curl/, `printf '%s\\n'`);
  const { stdout } = Bun.spawnSync(["sh", "-c", command], { env: { LOQUAT_KEY: "sk_test" } });
  const body = /^\{.*\}$/m.exec(stdout.toString())?.[0] ?? "";
  expect(JSON.parse(body)).toEqual({ ...request, response_format: "wav" });
  expect(stdout.toString()).toContain("Authorization: Bearer sk_test\n");
});

test("the JavaScript snippet is a valid module", () => {
  const { JavaScript = "" } = speechSnippets(BASE, request);
  expect(new Bun.Transpiler({ loader: "js" }).transformSync(JavaScript)).toContain("female-warm");
});

test("keys are read from the environment", () => {
  for (const snippet of Object.values(speechSnippets(BASE, request))) expect(snippet).toContain("LOQUAT_KEY");
});

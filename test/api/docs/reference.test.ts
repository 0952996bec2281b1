/** Promise: the reference has a page for each operation, with its fields, its error codes, and calls that are valid code. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ApiOperation, type OpenApi, partsOf } from "../../../src/api/docs/api-parts.ts";
import { callExamples } from "../../../src/api/docs/call-examples.ts";
import { typeOf } from "../../../src/api/docs/schema-fields.ts";
import { sampleOf } from "../../../src/api/docs/schema-sample.ts";
import { type Harness, openHarness } from "../../harness.ts";

let harness: Harness;
let document: OpenApi;
let management: OpenApi;
beforeAll(async () => {
  harness = await openHarness();
  document = (await (await fetch(`${harness.url}/docs/json`)).json()) as OpenApi;
  management = (await (await fetch(`${harness.url}/docs/management.json`)).json()) as OpenApi;
});
afterAll(() => harness[Symbol.asyncDispose]());

const operations = (api: OpenApi): ApiOperation[] => partsOf(api).flatMap((part) => part.operations);
const pageOf = async (path: string) => (await fetch(`${harness.url}/docs/${path}`)).text();

test("every operation of both APIs has a page, with its path and the names of its fields and codes", async () => {
  expect(operations(document).length).toBeGreaterThan(100);
  for (const [root, api] of [
    ["api", document],
    ["management", management],
  ] as const)
    for (const { id, path, fields, responses } of operations(api)) {
      const html = await pageOf(`${root}/${id}`);
      expect([id, html.includes(`<code>${path}</code>`)]).toEqual([id, true]);
      const codes = Object.values(responses).flatMap(({ content }) =>
        Object.keys(content?.["application/json"]?.examples ?? {}),
      );
      const missing = [...fields, ...codes].filter(
        (name) => !html.includes(`<code>${Bun.escapeHTML(name)}</code>`),
      );
      expect([id, missing]).toEqual([id, []]);
    }
});

test("a field tells its type, whether it is required, its limits, and the fields inside it", async () => {
  const html = await pageOf("api/createSpeech");
  expect(html).toMatch(/<code>model<\/code> <span class="type">string<\/span> <span class="needed">required/);
  expect(html).toContain("0.25 to 4");
  expect(html).toContain("<code>invalid_voice</code>: There is no such voice");
  expect(html).toContain("Default &quot;wav&quot;");
  expect(html).toMatch(/<code>chapters<\/code>[\s\S]{1,900}<code>title<\/code>/);
});

test("types of schemas are told in words", () => {
  const schemas = { Voice: { type: "object", properties: { id: { type: "string" } } } };
  for (const [schema, expected] of [
    [{ type: "array", items: { $ref: "#/components/schemas/Voice" } }, "list of object"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string or null"],
    [{ const: "list" }, '"list"'],
    [{ enum: ["a", "b"] }, '"a" or "b"'],
    [{ type: "string", format: "binary" }, "file"],
    [{}, "any"],
  ] as const)
    expect(typeOf(schema as never, schemas)).toBe(expected);
});

test("a schema that contains itself has an example and a page that end", () => {
  const schemas = { Node: { type: "object", properties: { child: { $ref: "#/components/schemas/Node" } } } };
  const sample = sampleOf({ $ref: "#/components/schemas/Node" }, { schemas, onlyRequired: false });
  expect(JSON.stringify(sample).length).toBeLessThan(200);
});

test("the calls in JavaScript and for the shell are valid code", () => {
  const transpiler = new Bun.Transpiler({ loader: "js" });
  for (const api of [document, management])
    for (const operation of operations(api)) {
      const { curl, JavaScript } = callExamples(operation, harness.url, api.components.schemas);
      expect(() => transpiler.transformSync(JavaScript)).not.toThrow();
      const { exitCode, stderr } = Bun.spawnSync(["bash", "-n", "-c", curl]);
      expect([curl, exitCode, stderr.toString()]).toEqual([curl, 0, ""]);
    }
});

const python = Bun.which("python3");

test.skipIf(!python)("the calls in Python are valid code", async () => {
  const codes = [document, management].flatMap((api) =>
    operations(api).map((each) => callExamples(each, harness.url, api.components.schemas).Python),
  );
  const check = "import ast, json, sys\nfor code in json.load(sys.stdin): ast.parse(code)";
  const child = Bun.spawn([python!, "-c", check], {
    stdin: Buffer.from(JSON.stringify(codes)),
    stderr: "pipe",
  });
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
});

test("the call for a transcription sends a file", () => {
  const transcription = operations(document).find(({ id }) => id === "createTranscription")!;
  const { curl, Python } = callExamples(transcription, harness.url, document.components.schemas);
  expect(curl).toContain("-F file=@recording.wav");
  expect(curl).toContain("-F model=svc-stt1");
  expect(Python).toContain('files={"file": open("recording.wav", "rb")}');
});

test("the first page of a reference has its name once", async () => {
  expect(await pageOf("api")).toContain("<h1>Loquat API</h1>");
  expect(await pageOf("management")).toContain("<h1>Loquat management API</h1>");
});

test("the call for speech, run by a shell with a key, answers with audio", async () => {
  const speech = operations(document).find(({ id }) => id === "createSpeech")!;
  const { curl } = callExamples(speech, harness.url, document.components.schemas);
  const code = curl.replace(/-o \S+$/, "-o -");
  const child = Bun.spawn(["bash", "-c", code], {
    env: { ...Bun.env, LOQUAT_KEY: harness.key },
    stderr: "ignore",
  });
  const bytes = await new Response(child.stdout).bytes();
  expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe("RIFF");
});

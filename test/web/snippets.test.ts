/** Promise: code snippets run, survive any text in them, and never contain a key unless one is given. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  conversationSnippets,
  speechCurl,
  speechSnippets,
  transcriptionSnippets,
} from "../../src/web/api/snippets.ts";
import { openTalk } from "../api/v1/conversation/talk.ts";
import { type Harness, openHarness } from "../harness.ts";
import { terminateTls } from "../tls.ts";
import { nodePath } from "../tools.ts";

setDefaultTimeout(120_000);

const NODE_MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));

let harness: Harness;
let folder: string;
beforeAll(async () => {
  harness = await openHarness();
  folder = mkdtempSync(join(tmpdir(), "loquat-snippets-"));
  symlinkSync(NODE_MODULES, join(folder, "node_modules"));
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a program in the folder, with the key in its environment. */
async function run(command: string[], variables: Record<string, string> = {}): Promise<string> {
  const environment = { ...process.env, LOQUAT_KEY: harness.key, ...variables };
  const child = Bun.spawn(command, { cwd: folder, env: environment, stdout: "pipe", stderr: "pipe" });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
  return output;
}

const startOf = (name: string) => readFileSync(join(folder, name)).subarray(0, 4).toString("latin1");

const BASE = "https://loquat.example/v1";
const request = { model: "svc-tts1", voice: "female-warm", input: `It's "5 $" \\ é\n` };

test("a shell passes the body of the curl command on unchanged", () => {
  const command = speechCurl(BASE, request).replace(/^curl/, `printf '%s\\n'`);
  const { stdout } = Bun.spawnSync(["sh", "-c", command], { env: { LOQUAT_KEY: "sk_test" } });
  const body = /^\{.*\}$/m.exec(stdout.toString())?.[0] ?? "";
  expect(JSON.parse(body)).toEqual({ ...request, response_format: "wav" });
  expect(stdout.toString()).toContain("Authorization: Bearer sk_test\n");
});

const FULL = { ...request, speed: 1.25, language: "en", instructions: "softer" };

const unlessNode = nodePath() ? "" : " (skipped: there is no node here)";
test.skipIf(unlessNode !== "")(`the JavaScript snippets run on Node${unlessNode}`, async () => {
  const base = `${harness.url}/v1`;
  writeFileSync(join(folder, "speak.mjs"), speechSnippets(base, FULL).JavaScript!);
  await run(["node", "speak.mjs"]);
  expect(startOf("speech.wav")).toBe("RIFF");
  const format = "verbose_json";
  const asked = {
    model: "svc-stt1",
    response_format: format,
    timestamp_granularities: ["word"],
    prompt: "é",
  };
  writeFileSync(join(folder, "transcribe.mjs"), transcriptionSnippets(base, asked, "speech.wav").JavaScript!);
  expect(await run(["node", "transcribe.mjs"])).toEndWith("\n");
});

const conversation = {
  type: "realtime",
  instructions: `It's "5 $" \\ é\n`,
  audio: { input: { turn_detection: null }, output: { voice: "male-deep" } },
};

test.skipIf(unlessNode !== "")(
  `the JavaScript snippets of a conversation run on Node${unlessNode}`,
  async () => {
    await using talk = await openTalk();
    await using secure = await terminateTls(talk.url);
    const variables = { LOQUAT_KEY: talk.key, NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_NO_WARNINGS: "1" };
    for (const [name, base] of [
      ["JavaScript", secure.url],
      ["Agents", talk.url],
    ] as const) {
      const snippets = conversationSnippets(`${base}/v1`, "assistant", conversation);
      writeFileSync(join(folder, "talk.mjs"), snippets[name]!);
      expect(await run(["node", "talk.mjs"], variables)).toMatch(/^You said: Hello\.\.?\n?$/);
      const [system] = talk.stub.calls.at(-1)!.body.messages;
      expect(system!.content).toStartWith(conversation.instructions);
    }
  },
);

test.skipIf(Bun.which("curl") === null)("the curl command saves the format it asks for", async () => {
  const asked = { ...FULL, response_format: "flac" };
  await run(["sh", "-c", speechCurl(`${harness.url}/v1`, asked)]);
  expect(startOf("speech.flac")).toBe("fLaC");
});

test.skipIf(Bun.which("python3") === null)("the Python snippets are valid Python", async () => {
  const asked = { model: "svc-stt1", response_format: "srt", prompt: request.input };
  const snippets = [
    speechSnippets(BASE, FULL),
    transcriptionSnippets(BASE, asked, `it's "here".wav`),
    conversationSnippets(BASE, "assistant", conversation),
  ];
  for (const { Python } of snippets) {
    writeFileSync(join(folder, "snippet.py"), Python!);
    await run(["python3", "-m", "py_compile", "snippet.py"]);
  }
  expect(snippets[0]!.Python).toContain('extra_body={"language": "en"}');
});

test("keys are read from the environment", () => {
  for (const snippet of Object.values(speechSnippets(BASE, request))) expect(snippet).toContain("LOQUAT_KEY");
});

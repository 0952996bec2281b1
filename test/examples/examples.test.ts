/** Promise: every program in examples/ works against a running server as it is. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HEADER_BYTES, wavHeader } from "../../src/audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { chromium, openBrowser } from "../chromium.ts";
import { type Harness, openHarness } from "../harness.ts";

setDefaultTimeout(120_000);

/** Silence that ends a turn. */
const PAUSE_SECONDS = 2;
const EXAMPLES = fileURLToPath(new URL("../../examples", import.meta.url));
const canRecognize = installedFamilies().has("sphinx");
const hasPython =
  Bun.which("python3") !== null && Bun.spawnSync(["python3", "-c", "import openai"]).exitCode === 0;
const hasCurl = Bun.which("curl") !== null;

let harness: Harness;
let folder: string;
beforeAll(async () => {
  harness = await openHarness();
  folder = mkdtempSync(join(tmpdir(), "loquat-examples-"));
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs an example in its own folder, as its first lines say. */
async function run(
  command: string[],
  key = harness.key,
): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { PATH: Bun.env.PATH, LOQUAT_KEY: key, LOQUAT_BASE_URL: `${harness.url}/v1` },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

const missing = (isPresent: boolean, what: string) => (isPresent ? "" : ` (skipped: ${what} is missing)`);
const recognition = missing(canRecognize, "PocketSphinx");

const PROGRAMS: [name: string, command: string[], isPresent: boolean, needs: string][] = [
  ["speech.sh", ["sh"], hasCurl, "curl"],
  ["speech.py", ["python3"], hasPython, "the OpenAI SDK for Python"],
  ["speech.mjs", [process.execPath], true, ""],
  ["realtime.mjs", [process.execPath], true, ""],
];
for (const [name, command, isPresent, needs] of PROGRAMS)
  test.skipIf(!canRecognize || !isPresent)(
    `${name} prints a transcript${recognition || missing(isPresent, needs)}`,
    async () => {
      if (name === "realtime.mjs") await writeRecording();
      const { code, out, err } = await run([...command, join(EXAMPLES, name)]);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out.toLowerCase()).toContain("good morning");
      expect(readFileSync(join(folder, "hello.wav")).subarray(0, 4).toString()).toBe("RIFF");
    },
  );

test.skipIf(!hasCurl)(`speech.sh says why it was refused${missing(hasCurl, "curl")}`, async () => {
  const { code, err } = await run(["sh", join(EXAMPLES, "speech.sh")], "sk_live_wrong");
  expect(code).toBe(1);
  expect(err).toContain('"code":"invalid_api_key"');
});

test.skipIf(!canRecognize || !chromium)(
  `microphone.html prints a transcript${recognition || missing(Boolean(chromium), "Chromium")}`,
  async () => {
    const recording = await writeRecording(PAUSE_SECONDS); // a browser repeats it without end
    const page = Bun.file(join(EXAMPLES, "microphone.html"));
    using site = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(page) });
    await using browser = await openBrowser([
      "--use-fake-device-for-media-stream",
      "--use-fake-ui-for-media-stream",
      `--use-file-for-fake-audio-capture=${recording}`,
    ]);
    const opened = await browser.visit(site.url.href);
    const secret = await harness.ask("/v1/realtime/client_secrets", { method: "POST", body: "{}" });
    const { value } = (await secret.json()) as { value: string };
    await opened.page.$eval(
      "[name=base]",
      (field, base) => {
        (field as unknown as { value: string }).value = base;
      },
      `${harness.url.replace("http", "ws")}/v1`,
    );
    await opened.page.type("[name=secret]", value);
    await opened.page.click("[type=submit]");
    await opened.page.waitForFunction(
      "document.querySelector('#transcript').textContent.includes('morning')",
      { timeout: 100_000 },
    );
    await opened.page.click("[name=stop]");
    await opened.page.waitForFunction("document.querySelector('[role=status]').textContent === 'Closed'");
    expect(opened.complaints.filter((text) => !text.includes("favicon"))).toEqual([]);
  },
);

test("every example is tested here", () => {
  const compose = "ollama.yaml"; // with the other compose files, in test/deploy/container.test.ts
  const programs = readdirSync(EXAMPLES).filter((name) => ![compose, "README.md"].includes(name));
  expect(programs.sort()).toEqual([...PROGRAMS.map(([name]) => name), "microphone.html"].sort());
});

async function writeRecording(pauseSeconds = 0): Promise<string> {
  const response = await harness.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "svc-tts1", voice: "male-deep", input: "Good morning. Good morning." }),
  });
  const path = join(folder, "hello.wav");
  const speech = Buffer.from(await response.arrayBuffer()).subarray(HEADER_BYTES);
  const pause = Buffer.alloc(2 * pauseSeconds * TTS_SAMPLE_RATE);
  const header = wavHeader((speech.length + pause.length) / 2, TTS_SAMPLE_RATE);
  await Bun.write(path, Buffer.concat([header, speech, pause]));
  return path;
}

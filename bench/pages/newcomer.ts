/**
 * The first hour by the clock, in a real browser that goes at the pace of a person: a key every tenth of a second, and two
 * seconds on each page before a click. A server is started over an empty folder; it sends no mail.
 *
 *   start ── set-up link ── account ── purpose ── voices ── a first sentence    "to the first speech"
 *                  └──────────────────────────────────────── the dashboard      "set-up to the dashboard"
 *   invitation ── account ── approved by the operator ── signed in ── joined ── a transcript
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { fileName, hostTarget, OUTPUT, targetOf } from "../../deploy/build/target.ts";
import { type OwnBrowser, openBrowser } from "../../test/chromium.ts";
import { arrives, press, sees } from "../../test/web/page-actions.ts";
import type { Row } from "../harness/row.ts";
import { CHECKOUT } from "../harness/server.ts";

const KEY_MS = 100;
const READING_MS = 2000;
const PASSWORD = "a password of some length";
const MACHINE = ["--autoplay-policy=no-user-gesture-required"];

export async function benchNewcomer(): Promise<Row[]> {
  const executable = join(OUTPUT, fileName(targetOf(hostTarget()), "full"));
  const isBuilt = existsSync(executable);
  await using browser = await openBrowser(MACHINE);
  const begun = performance.now();
  await using server = await startNew(isBuilt ? [executable] : CHECKOUT);
  const startMs = performance.now() - begun;
  const operator = await pageOf(browser);
  const setUpBegun = performance.now();
  await operator.goto(server.setUpLink);
  await enter(operator, { name: "Ada", email: "ada@example.com", password: PASSWORD });
  await click(operator, /^Create account$/);
  await click(operator, /^For a team/);
  await sees(operator, /Listen to the voices/);
  await click(operator, /^Continue$/);
  await click(operator, /^Play it$/);
  await sees(operator, /Spoken by/);
  const speechMs = performance.now() - begun;
  await click(operator, /^Open the dashboard$/);
  await sees(operator, /First steps|Latest requests/);
  const setUpMs = performance.now() - setUpBegun;

  const [link, recording] = [await invitationLink(operator), await recordingOf(server)];
  const invited = await pageOf(browser);
  const invitedBegun = performance.now();
  await joins(invited, operator, link);
  await transcribes(invited, recording);
  const transcriptMs = performance.now() - invitedBegun;
  const what = isBuilt ? "executable" : "checkout";
  return [
    { name: `${what}: start to the set-up link`, value: startMs / 1000, unit: "s" },
    { name: `${what}: start to the first speech`, value: speechMs / 1000, unit: "s", target: "at most 60" },
    { name: "set-up link to the dashboard", value: setUpMs / 1000, unit: "s", target: "at most 60" },
    {
      name: "invitation to the invited person's first transcript",
      ...{ value: transcriptMs / 1000, unit: "s", target: "at most 90" },
    },
  ];
}

/** As a newcomer starts it: without settings. */
async function startNew(command: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "loquat-newcomer-"));
  const env = { PATH: Bun.env.PATH, LOQUAT_DATA: join(folder, "data"), LOQUAT_CACHE: join(folder, "cache") };
  const child = Bun.spawn([...command, "serve"], {
    env: { ...env, PORT: "0", LOG_LEVEL: "warn" },
    stdout: "pipe",
    stderr: "inherit",
  });
  return {
    folder,
    setUpLink: await printed(child.stdout, /http:\S+\/setup#token=\S+/),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function printed(stdout: ReadableStream<Uint8Array>, wanted: RegExp): Promise<string> {
  let text = "";
  for await (const chunk of stdout.pipeThrough(new TextDecoderStream() as never)) {
    text += chunk;
    const found = wanted.exec(text)?.[0];
    if (found) return found;
  }
  throw new Error(`the server ended before it printed ${wanted}: ${text}`);
}

async function pageOf(browser: OwnBrowser): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  return page;
}

async function click(page: Page, name: RegExp): Promise<void> {
  await Bun.sleep(READING_MS);
  await press(page, name);
}

async function enter(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(fields)) {
    const field = await page.waitForSelector(`[name="${name}"]`);
    await field!.click({ count: 3 });
    await field!.type(text, { delay: KEY_MS });
  }
}

async function invitationLink(operator: Page): Promise<string> {
  await press(operator, /^Members$/);
  await press(operator, /^Invite member$/);
  await enter(operator, { email: "katherine@example.com" });
  await press(operator, /^Create invitation link$/);
  const link = await operator.waitForFunction(
    "/http:\\S+\\/invitation\\?\\S+/.exec(document.querySelector('dialog[open]')?.innerText)?.[0]",
  );
  return String(await link.jsonValue());
}

/** The operator approves as soon as the account is there, which a mail would do by itself. */
async function joins(invited: Page, operator: Page, link: string): Promise<void> {
  await invited.goto(link);
  await click(invited, /^Create an account$/);
  await enter(invited, { name: "Katherine", password: PASSWORD });
  await click(invited, /^Create account$/);
  await sees(invited, /katherine@example\.com/);
  await operator.goto(new URL("/operator/users?status=pending", link).href);
  await click(operator, /^Approve/);
  await click(operator, /^Approve$/);
  await sees(operator, /No one waits for approval/);
  await click(invited, /^Back to sign in$/);
  await enter(invited, { email: "katherine@example.com", password: PASSWORD });
  await click(invited, /^Sign in$/);
  await click(invited, /^Join/);
  await arrives(invited, /^\/orgs\//);
}

async function transcribes(invited: Page, recording: string): Promise<void> {
  await click(invited, /^Playground$/);
  await click(invited, /^Transcribe$/);
  const field = await invited.waitForSelector(".drop input[type=file]");
  await Bun.sleep(READING_MS);
  await (field as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(recording);
  await invited.waitForSelector(".transcript .word", { timeout: 60_000 });
}

/** A sentence that the server speaks, as a file. */
async function recordingOf({ folder, setUpLink }: { folder: string; setUpLink: string }): Promise<string> {
  const key = (await Bun.file(join(folder, "data", "first-key")).text()).trim();
  const response = await fetch(new URL("/v1/audio/speech", setUpLink), {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Good morning to everyone." }),
  });
  const path = join(folder, "recording.wav");
  await Bun.write(path, await response.arrayBuffer());
  return path;
}

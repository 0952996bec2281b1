/**
 * Promise: in a real browser, members follow jobs while they go on, read and download their results, cancel and delete them; and a
 * result that may be read once is read when it is asked for, not before. With SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Page } from "puppeteer-core";
import { wavHeader } from "../../src/audio/pcm.ts";
import type { JobRow } from "../../src/db/queries/job-rows.ts";
import { openAccountsHarness, signUp } from "../api/management/people.ts";
import { recognize, segmentOf, storedJob } from "../api/management/tenancy-jobs.ts";
import { chromium, hold, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { holdRecognitions } from "../held-recognitions.ts";
import { expectLooks } from "./looks.ts";
import { arrives, lacks, press, savedBy, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

const RATE = 16_000;
const HOUR = 3600;

let harness: Harness;
let browser: OwnBrowser;
let page: Page;
let complaints: string[];
let owner: { organizationId: string; projectId: string; keyId: string };
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  const { organizationId, parts } = harness;
  const ada = await signUp(harness, "ada@example.com", { name: "Ada" });
  owner = {
    organizationId,
    projectId: (await parts.accounts.defaultProject(organizationId))!.id,
    keyId: "key_x",
  };
  browser = await openBrowser();
  ({ page, complaints } = await browser.visit(`${harness.url}/sign-in`));
  await hold(page, ada.cookie());
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

const go = (search = "") => page.goto(`${harness.url}/orgs/${harness.organizationId}/jobs${search}`);
const named = (recording: string) => ({ ...owner, metadata: JSON.stringify({ recording }) });
const change = (id: string, fields: Partial<JobRow>) => {
  const { query, tables } = harness.parts.database;
  return query.update(tables.job).set(fields).where(eq(tables.job.id, id));
};

/** A job of two hours that is under way. */
const underWay = (recording: string, fields: Partial<JobRow> = {}) =>
  storedJob(harness, {
    ...{
      ...named(recording),
      status: "in_progress",
      isRecognized: false,
      completedAt: null,
      expiresAt: null,
    },
    ...{ samples: 2 * HOUR * RATE, doneSamples: 600 * RATE },
    ...fields,
  });

/** A silent recording. */
async function recordingOf(folder: string, sampleRate: number, seconds: number): Promise<string> {
  const path = join(folder, `silence-${seconds}.wav`);
  const samples = new Uint8Array(2 * sampleRate * seconds);
  await Bun.write(path, Buffer.concat([wavHeader(samples.length / 2, sampleRate), samples]));
  return path;
}

describe.skipIf(!chromium)(`the page of jobs${unlessBrowser}`, () => {
  let talk: JobRow;
  test("says what jobs are while there are none", async () => {
    await go();
    await sees(page, /No jobs yet/);
    await expectLooks(page, "jobs-empty", { fullPage: true });
  });

  test("lists jobs with their progress, which goes on by itself, and finds them by their status", async () => {
    talk = await underWay("Council meeting.mp3");
    await storedJob(harness, {
      ...{ ...named("Broken.wav"), status: "failed", samples: null, doneSamples: 0 },
      ...{ errorCode: "invalid_audio", errorMessage: "The file has no audio that can be decoded." },
    });
    const waits = { status: "queued", samples: null, doneSamples: 0, startedAt: null } as const;
    await underWay("Interview.m4a", waits);
    const done = await storedJob(harness, {
      ...named("Lecture.ogg"),
      costMicros: 720_000,
      samples: HOUR * RATE,
    });
    await recognize(harness, done.id, [
      segmentOf("Good morning to everyone at the old house", 0),
      segmentOf("Let us begin with the letters", 65),
    ]);
    await go();
    await sees(page, /Council meeting\.mp3[\s\S]*10 min of 2 h/);
    await sees(page, /Interview\.m4a[\s\S]*Next of those that wait/);
    await expectLooks(page, "jobs", { fullPage: true });
    await change(talk.id, { doneSamples: HOUR * RATE });
    await sees(page, /1 h of 2 h/);
    await page.select("select", "failed");
    await lacks(page, /Council meeting/);
    await sees(page, /Broken\.wav/);
    await page.select("select", "expired");
    await sees(page, /No matching jobs/);
  });

  test("opens a job that failed, with the reason", async () => {
    await go("?status=failed");
    await press(page, /^Broken\.wav/);
    await sees(page, /invalid_audio[\s\S]*no audio that can be decoded\. It cost nothing/);
    await expectLooks(page, "job-failed", { fullPage: true });
  });

  test("shows the transcript of a job that was completed, and saves it", async () => {
    await go();
    await press(page, /^Lecture\.ogg/);
    await sees(page, /1:05\.0[\s\S]*Let us begin with the letters/);
    await sees(page, /\$0\.72 for 1 h/);
    await expectLooks(page, "job", { fullPage: true });
    expect(String(await savedBy(page, /^Download as SRT$/))).toMatch(
      /^1\n00:00:00,000 --> [\s\S]*00:01:05,000 --> [\s\S]*Let us begin with the letters/,
    );
    const json = JSON.parse(String(await savedBy(page, /^Download as JSON$/)));
    expect(json).toMatchObject({ task: "transcribe", duration: HOUR });
    expect(json.words).toHaveLength(14);
  });

  test("plays and saves what a job has spoken, whole, by chapter, and its subtitles", async () => {
    const body = {
      ...{
        model: "svc-tts1",
        voice: "female-warm",
        background: true,
        response_format: "mp3",
        title: "Greetings",
      },
      chapters: [
        { title: "One", input: "Good morning." },
        { title: "Two", input: "Good night." },
      ],
    };
    const made = await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(body) });
    const { id } = (await made.json()) as { id: string };
    const whole = async () => (await harness.ask(`/v1/audio/jobs/${id}/content`)).bytes();
    await go(`?open=${id}`);
    await sees(page, /Greetings[\s\S]*Completed[\s\S]*Two from/);
    await expectLooks(page, "job-spoken", { fullPage: true });
    expect((await savedBy(page, /^Download MP3, /)).equals(await whole())).toBe(true);
    const second = await harness.ask(`/v1/audio/jobs/${id}/content?chapter=2`);
    expect((await savedBy(page, /^Download chapter 2$/)).equals(await second.bytes())).toBe(true);
    expect(String(await savedBy(page, /^Subtitles, SRT$/))).toMatch(/^1\n00:00:00[\s\S]*Good night\./);
    expect((await savedBy(page, /^Listen$/)).equals(await whole())).toBe(true);
    await page.waitForFunction("document.querySelector('audio')?.duration > 1");
  });

  test("cancels a job that goes on", async () => {
    await go(`?open=${talk.id}`);
    await sees(page, /In progress/);
    await expectLooks(page, "job-under-way", { fullPage: true });
    await press(page, /^Cancel$/);
    await press(page, /^Cancel the job$/);
    await sees(page, /Cancelled/);
    await page.waitForFunction("!document.querySelector('dialog[open]')");
    expect((await harness.parts.jobs.find(owner, talk.id))!.row.status).toBe("cancelled");
  });

  test("reads what may be read once when it is asked to, and shows it until the page is left", async () => {
    const secret = await storedJob(harness, { ...named("Secret.wav"), isReadOnce: true });
    await recognize(harness, secret.id, [segmentOf("Nothing of it is kept", 0)]);
    await go(`?open=${secret.id}`);
    await sees(page, /deleted once it was read/);
    await expectLooks(page, "job-read-once", { fullPage: true });
    expect((await harness.parts.jobs.find(owner, secret.id))!.row.status).toBe("completed");
    await press(page, /^Read it once$/);
    await sees(page, /The server has deleted this result[\s\S]*Nothing of it is kept/);
    await sees(page, /Expired/);
    expect((await harness.parts.jobs.find(owner, secret.id))!.row.status).toBe("expired");
    await press(page, /^All jobs$/);
    await press(page, /^Secret\.wav/);
    await sees(page, /The result has expired/);
    expect(await page.evaluate("document.body.innerText")).not.toContain("Nothing of it is kept");
  });

  test("deletes a job", async () => {
    await press(page, /^Delete$/);
    await press(page, /^Delete the job$/);
    await sees(page, /Newest first/);
    await lacks(page, /Secret\.wav/);
    expect(complaints).toEqual([]);
  });

  test("says so where there is no such job", async () => {
    await go("?open=job_000000000000000000000000");
    await sees(page, /There is no such job/);
    await press(page, /^All jobs$/);
    await sees(page, /Lecture\.ogg/);
  });

  test.each([
    ["longer", 8000, 602],
    ["larger", 48_000, 280],
  ] as const)("a recording that is %s than a request takes becomes one", async (which, rate, seconds) => {
    const held = holdRecognitions(harness.parts.registry);
    await using folder = await mkdtempDisposable(join(tmpdir(), "loquat-jobs-"));
    const path = await recordingOf(folder.path, rate, seconds);
    await page.goto(`${harness.url}/orgs/${harness.organizationId}/playground?tab=transcribe`);
    await sees(page, /Using a test key/);
    await sees(page, /more in the background/);
    await page.waitForFunction("document.querySelector('[name=stt-model] option')?.value");
    const input = await page.waitForSelector(".drop input[type=file]");
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
    await sees(page, /Transcribe in the background/);
    if (which === "larger") await expectLooks(page, "playground-background", { fullPage: true });
    await press(page, /^Transcribe in the background$/);
    await arrives(page, /\/jobs$/);
    await sees(page, new RegExp(`silence-${seconds}\\.wav[\\s\\S]*In progress`));
    await held.begun(1);
    const [job] = await harness.parts.jobs.list(owner, { status: "in_progress", after: null, limit: 1 });
    expect(job!.row).toMatchObject({ bytes: 44 + 2 * rate * seconds, samples: seconds * RATE });
    expect(job!.row.fileId === null).toBe(which === "longer");
    await harness.parts.jobs.cancel(job!);
    await sees(page, /Cancelled/);
  });
});

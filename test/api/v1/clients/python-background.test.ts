/** Promise: OpenAI's library for Python sends files whole and in parts, and makes jobs and batches of them, in three of its major versions. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { pythonWith } from "../../../../testing/python.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { until } from "../../../until.ts";
import { hears } from "../../dialects/recorded.ts";
import { openProgram, type Program } from "./program.ts";

setDefaultTimeout(120_000);

const TEXT = "We are at the old house by the river.";
const SPEECH = "/v1/audio/speech";
const VERSIONS = ["1.109.1", "2.54.0", "3.57.0"];
const pythons = VERSIONS.map((version) => pythonWith([`openai==${version}`]));
const unless = pythons.includes(null) ? " (skipped: the library could not be installed)" : "";

let harness: Harness;
let programs: Program[] = [];
beforeAll(async () => {
  harness = await openHarness();
  const script = join(import.meta.dir, "background_jobs.py");
  if (unless === "")
    programs = pythons.map((python) =>
      openProgram([python!, script, harness.url, harness.key], import.meta.dir),
    );
});
afterAll(async () => {
  for (const program of programs) await program[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
});

type Ask = Program["ask"];

/** `work`: of each version in turn. */
async function each(work: (done: Ask) => Promise<void>): Promise<void> {
  for (const program of programs)
    await work(async (...asked) => {
      const { answer, complaints } = await program.ask(...asked);
      expect(complaints).toEqual([]);
      return answer;
    });
}

const ended = (done: Ask, id: string) =>
  until(async () => {
    const job = await done("job", id);
    return job.status === "completed" && job;
  });

async function recording(): Promise<string> {
  const body = JSON.stringify({
    ...{ model: "svc-tts1", voice: "female-warm", input: TEXT, response_format: "wav" },
  });
  return Buffer.from(await (await harness.ask(SPEECH, { method: "POST", body })).arrayBuffer()).toString(
    "base64",
  );
}

describe.skipIf(unless !== "")(`openai 1, 2 and 3 for Python${unless}`, () => {
  test("files.create, files.retrieve, files.list, files.content, files.delete: a file that is sent, found, read and deleted", () =>
    each(async (done) => {
      const found = { name: "text.txt", bytes: TEXT.length, listed: true, content: TEXT, deleted: true };
      expect(await done("file", TEXT)).toEqual(found);
    }));

  test("uploads.upload_file_chunked: a file that is sent in parts", () =>
    each(async (done) => {
      expect(await done("chunked", TEXT, 10)).toEqual({ status: "completed", content: TEXT });
    }));

  test.skipIf(!hears)(
    "audio.transcriptions.create, get: a job of a recording, or of a file, with background in extra_body",
    async () => {
      const wav = await recording();
      await each(async (done) => {
        for (const isWhole of [true, false]) {
          const made = await done("transcribe", wav, isWhole);
          expect(made).toMatchObject({ object: "audio.job", kind: "transcription" });
          expect(await ended(done, made.id)).toMatchObject({ id: made.id, error: null });
          expect(await done("result", made.id, "srt")).toMatch(/^1\n00:00:00,\d{3} --> [\s\S]*old house/i);
          expect(await done("cancel", made.id)).toBe("completed");
          expect(await done("jobs")).toContain(made.id);
        }
      });
    },
  );

  test("audio.speech.create, get, post: a job of a text, with background in extra_body", () =>
    each(async (done) => {
      const made = await done("speak", TEXT);
      expect(made).toMatchObject({ object: "audio.job", kind: "speech" });
      expect(await ended(done, made.id)).toMatchObject({ usage: { characters: TEXT.length } });
      expect(await done("sound", made.id)).toBe("RIFF");
    }));

  test("batches.create, batches.retrieve, batches.list, batches.cancel: a batch of texts to speak", () =>
    each(async (done) => {
      const body = { model: "svc-tts1", voice: "female-warm", response_format: "wav", input: TEXT };
      const lines = ["one", "two"].map((custom_id) =>
        JSON.stringify({ custom_id, method: "POST", url: SPEECH, body }),
      );
      const id = await done("batch", lines, SPEECH);
      const { output, completed } = await until(async () => {
        harness.clock.pass(5000);
        const batch = await done("batch-state", id);
        return batch.status === "completed" && batch;
      });
      expect(completed).toBe(2);
      const written = (await done("read", output)).trim().split("\n");
      expect(written.map((line: string) => JSON.parse(line).custom_id)).toEqual(["one", "two"]);
      expect(await done("batch-list")).toContain(id);
      expect(await done("batch-cancel", id)).toBe("completed");
    }));
});

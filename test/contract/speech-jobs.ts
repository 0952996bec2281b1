/** What jobs that speak must do on every database: each chapter is spoken in its place, charged once, and kept once it is charged. */
import { describe, expect, test } from "bun:test";
import { jobRecord } from "../../src/jobs/job-record.ts";
import { openDictionary } from "../../src/speech/script/dictionary.ts";
import { askedSpeech, PRICE_MICROS, soundOf } from "../jobs/job-node.ts";
import { speakingEngine } from "../jobs/speaking-engine.ts";
import { until } from "../until.ts";
import { type FreshJobs, freshJobs, type JobPlace } from "./fresh-jobs.ts";

const RATE = 24_000;
const HEADER = 44;
const DAY_MS = 86_400_000;

const FIRST = "The first chapter has one sentence.";
const SECOND = "The second one is longer. It has two.";
const costOf = (text: string) => (text.length * PRICE_MICROS) / 1e6;

/** Paragraphs, so that it is cut into pieces. */
const longText = (letter: string, paragraphs: number) =>
  ["one", "two", "three", "four"]
    .slice(0, paragraphs)
    .map((number) => `${letter.repeat(6)} ${number}. `.repeat(80).trim())
    .join("\n\n");

export function speechJobContract(store: string, prepare: () => Promise<JobPlace>) {
  describe(`${store}, jobs that speak`, () => {
    let fresh: FreshJobs;
    freshJobs(prepare, (opened) => {
      fresh = opened;
    });
    const create = (texts: string[], more: Parameters<typeof askedSpeech>[2] = {}) => {
      fresh.clock.pass(1);
      return fresh.node.speechJobs.create(fresh.principal, askedSpeech(fresh.clock, texts, more));
    };
    const make = async (...asked: Parameters<typeof create>) => (await create(...asked)).row.id;
    const sound = (id: string, chapter: number | null = null) =>
      soundOf(fresh.node, fresh.principal, { id, chapter });
    const record = async (id: string) => jobRecord(await fresh.found(id));
    const holdingAt = (held: string) => {
      let isHeld = false;
      const speaking = speakingEngine({
        async before(text, signal) {
          if (!text.includes(held)) return;
          isHeld = true;
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
          signal.throwIfAborted();
        },
      });
      return { speaking: speaking.engine, isHeld: () => isHeld };
    };

    test("chapters are spoken, charged one by one, and told of; what is left is their sound", async () => {
      const { node, charges, events, contents, parts } = fresh;
      const created = await create([FIRST, SECOND]);
      const { id } = created.row;
      expect(jobRecord(created)).toMatchObject({
        ...{ kind: "speech", status: "queued", progress: 0, position: 1, usage: null, output: null },
        input: { characters: FIRST.length + SECOND.length, bytes: null, duration_seconds: null },
        chapters: [{ title: "Chapter 1", characters: FIRST.length, start: null, end: null }, {}],
      });
      await node.work.run();
      const [first, second, whole] = [await sound(id, 1), await sound(id, 2), await sound(id)];
      expect([first.length, second.length].map((bytes) => bytes - HEADER)).toEqual(
        [FIRST, SECOND].map(
          (text, index) => 2 * (text.length - index) * (RATE / 100) + (index === 0 ? 0 : 2 * 0.28 * RATE),
        ),
      );
      const pcm = Buffer.concat([first.subarray(HEADER), Buffer.alloc(2 * RATE), second.subarray(HEADER)]);
      expect(whole.subarray(HEADER).equals(pcm)).toBeTrue();
      expect(whole.readUInt32LE(40)).toBe(pcm.length);
      const firstSeconds = (first.length - HEADER) / 2 / RATE;
      expect(await record(id)).toMatchObject({
        ...{ status: "completed", progress: 100, title: "The book" },
        usage: { type: "characters", characters: FIRST.length + SECOND.length },
        cost_micros: costOf(FIRST) + costOf(SECOND),
        chapters: [
          { start: 0, end: firstSeconds },
          { start: firstSeconds + 1, end: pcm.length / 2 / RATE },
        ],
        output: { seconds: pcm.length / 2 / RATE, bytes: whole.length },
      });
      const charged = (await charges()).toSorted((one, other) => (one.id < other.id ? -1 : 1));
      expect(charged).toMatchObject([
        { id: `${id}.1`, unit: "character", quantity: FIRST.length, costMicros: costOf(FIRST) },
        { id: `${id}.2`, unit: "character", quantity: SECOND.length, costMicros: costOf(SECOND) },
      ]);
      expect(await events()).toEqual(["audio.job.completed"]);
      expect(await contents()).toBe(3);
      expect(await parts(id)).toBe(2);
    });

    test("a long text is spoken in pieces, in its order, and the words of all of them have times", async () => {
      const { node, found, principal } = fresh;
      const text = `${longText("a", 4)}\n\nThe last words.`;
      const id = await make([text, "An end."]);
      await node.work.run();
      expect((await found(id)).row.donePieces).toBeGreaterThan(4);
      const captions = await node.speechJobs.captions((await node.jobs.find(principal, id))!, null);
      const told = captions.map(({ text }) => text).join(" ");
      expect(told).toBe(`${text.replaceAll("\n\n", " ")} An end.`);
      const starts = captions.map(({ start }) => start);
      expect(starts).toEqual(starts.toSorted((one, other) => one - other));
      const [, end] = (await record(id)).chapters!;
      expect(captions.at(-1)!.start).toBeCloseTo(end!.start!, 3);
      const [ended] = await node.speechJobs.captions((await found(id))!, 2);
      expect(ended).toMatchObject({ start: 0, text: "An end." });
    });

    test("a node that stops gives its job back, and another one goes on behind the last piece, with the same sound", async () => {
      const text = longText("b", 4);
      const undisturbed = await make([text]);
      await fresh.node.work.run();
      const { speaking, isHeld } = holdingAt("bbbbbb three");
      fresh.node.work.drain();
      const other = await fresh.open(undefined, {}, { speaking });
      const id = await make([text]);
      const running = other.work.run();
      await until(isHeld);
      other.work.drain();
      await running;
      const { engine, spoken } = speakingEngine();
      await (await fresh.open(undefined, {}, { speaking: engine })).work.run();
      expect(spoken.join(" ")).not.toContain("bbbbbb one");
      expect((await sound(id)).equals(await sound(undisturbed))).toBeTrue();
      expect((await fresh.charges()).map(({ id }) => id).toSorted()).toEqual(
        [`${undisturbed}.1`, `${id}.1`].toSorted(),
      );
    });

    test("a job that waits is cancelled, costs nothing, and keeps nothing", async () => {
      fresh.node.work.drain();
      const id = await make([FIRST]);
      await fresh.node.jobs.cancel(await fresh.found(id));
      expect(await record(id)).toMatchObject({
        status: "cancelled",
        cost_micros: 0,
        expires_at: null,
        usage: null,
      });
      expect([await fresh.charges(), await fresh.contents(), await fresh.parts(id)]).toEqual([[], 0, 0]);
      await expect(sound(id)).rejects.toMatchObject({ code: "not_found" });
      await expect(sound(id, 1)).rejects.toMatchObject({ code: "not_found" });
    });

    test("a job that is cancelled while its second chapter is spoken stops within a second, and keeps and bills the first", async () => {
      const { speaking, isHeld } = holdingAt("longer");
      fresh.node.work.drain();
      const other = await fresh.open(undefined, {}, { speaking });
      const id = await make([FIRST, SECOND]);
      const running = other.work.run();
      await until(isHeld);
      await expect(sound(id)).rejects.toMatchObject({ code: "job_not_finished" });
      await expect(sound(id, 2)).rejects.toMatchObject({ code: "job_not_finished" });
      const early = await sound(id, 1); // while the job goes on
      const begunMs = performance.now();
      await fresh.node.jobs.cancel(await fresh.found(id));
      await running;
      expect(performance.now() - begunMs).toBeLessThan(1000);
      expect(await record(id)).toMatchObject({
        ...{ status: "cancelled", cost_micros: costOf(FIRST) },
        usage: { type: "characters", characters: FIRST.length },
      });
      expect((await sound(id, 1)).equals(early)).toBeTrue();
      await expect(sound(id)).rejects.toThrow("Ask for its chapters that are done");
      await expect(sound(id, 2)).rejects.toMatchObject({ code: "not_found" });
      expect(await fresh.contents()).toBe(1);
      expect(await fresh.charges()).toMatchObject([{ id: `${id}.1` }]);
      fresh.later(7 * DAY_MS);
      await fresh.node.cleanJobs();
      await expect(sound(id, 1)).rejects.toMatchObject({ code: "not_found" });
      expect([await fresh.contents(), await fresh.parts(id), (await record(id)).status]).toEqual([
        0,
        0,
        "cancelled",
      ]);
    });

    test("a job that is deleted while it runs leaves its charges alone", async () => {
      const { speaking, isHeld } = holdingAt("longer");
      fresh.node.work.drain();
      const other = await fresh.open(undefined, {}, { speaking });
      const id = await make([FIRST, SECOND]);
      const running = other.work.run();
      await until(isHeld);
      await fresh.node.jobs.remove(await fresh.found(id));
      await running;
      await fresh.node.cleanJobs();
      expect([await fresh.contents(), await fresh.parts(id)]).toEqual([0, 0]);
      expect(await fresh.node.jobs.find(fresh.principal, id)).toBeNull();
      expect(await fresh.charges()).toMatchObject([{ id: `${id}.1` }]);
    });

    test("credit that suffices for one chapter of two makes no job; where it is spent meanwhile, the first chapter is kept", async () => {
      const { node, principal } = fresh;
      const { organizationId } = principal;
      const balance = async () => (await node.ledger.credit(organizationId)).balanceMicros;
      const spend = async (id: string, costMicros: number) => {
        const { plan, projectId, keyId, environment } = principal;
        const of = { plan, organizationId, projectId, keyId, environment, requestId: `req_${id}` };
        const what = {
          endpoint: "/v1/audio/speech",
          model: "svc-tts1",
          unit: "character",
          priceMicros: 0,
        } as const;
        await node.ledger.charge({ id, ...of, ...what, quantity: 1, costMicros, createdAt: 0 });
      };
      await spend("before", (await balance()) - costOf(FIRST) - costOf(SECOND) + 1);
      await expect(make([FIRST, SECOND])).rejects.toMatchObject({ code: "insufficient_credits" });
      expect(await node.jobs.list(principal, { status: null, after: null, limit: 1 })).toEqual([]);
      const grant = { id: "grant_more", organizationId, kind: "adjustment", amountMicros: 1 } as const;
      await node.ledger.grant({ ...grant, createdAt: 0, expiresAt: null, topUpId: null });
      node.work.drain();
      const speaking = speakingEngine({
        before: async (text) => (text.includes("first") ? spend("meanwhile", 1) : undefined),
      });
      const id = await make([FIRST, SECOND]);
      await (await fresh.open(undefined, {}, { speaking: speaking.engine })).work.run();
      expect(await record(id)).toMatchObject({
        ...{ status: "failed", error: { code: "insufficient_credits" }, cost_micros: costOf(FIRST) },
      });
      expect((await sound(id, 1)).length).toBeGreaterThan(HEADER);
      await expect(sound(id, 2)).rejects.toMatchObject({ code: "not_found" });
      expect(await balance()).toBe(costOf(SECOND) - 1);
      expect(await fresh.events()).toEqual(["audio.job.failed"]);
    });

    test("what an organization reads longer than it is written is charged as it is read", async () => {
      fresh.node.work.drain();
      const dictionary = openDictionary([{ word: "sentence", alias: "sequence of words", phonemes: null }]);
      const id = await make([FIRST]);
      await (await fresh.open(undefined, {}, { dictionary })).work.run();
      const { usage, status } = await record(id);
      expect([status, usage]).toEqual(["completed", { type: "characters", characters: FIRST.length + 9 }]);
    });

    test("a chapter that the voice cannot pronounce fails its job, and costs nothing; a piece of one is silent", async () => {
      const id = await make([FIRST, "漢字"]);
      await fresh.node.work.run();
      expect(await record(id)).toMatchObject({
        ...{ status: "failed", error: { code: "unpronounceable_input" }, cost_micros: costOf(FIRST) },
      });
      const mixed = await make([`${longText("c", 2)}\n\n漢字`]);
      await fresh.node.work.run();
      expect(await fresh.status(mixed)).toBe("completed");
    });

    test("a result that may be read once is deleted when all of it was read", async () => {
      const { node, principal } = fresh;
      const { organizationId } = principal;
      await node.accounts.setRetention(organizationId, { jobResultDays: 0 });
      const id = await make([FIRST]);
      await node.work.run();
      await node.speechJobs.wasRead((await node.jobs.find(principal, id))!);
      expect([await fresh.status(id), await fresh.contents()]).toEqual(["expired", 0]);
    });
  });
}

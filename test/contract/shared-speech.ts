/** What files that share the speech of a job must do on every database: it is stored once, and goes when neither has it any more. */
import { describe, expect, test } from "bun:test";
import type { FileRow } from "../../src/db/queries/file-rows.ts";
import { askedSpeech, soundOf } from "../jobs/job-node.ts";
import { type FreshJobs, freshJobs, type JobPlace } from "./fresh-jobs.ts";

const HEAD = Buffer.from("what comes before it");
const ROUNDS = 10;

export function sharedSpeechContract(store: string, prepare: () => Promise<JobPlace>) {
  describe(`${store}, a file that shares the speech of a job`, () => {
    let fresh: FreshJobs;
    freshJobs(prepare, (opened) => {
      fresh = opened;
    });
    async function made(texts = ["One sentence."]): Promise<string> {
      fresh.clock.pass(1);
      const { row } = await fresh.node.speechJobs.create(fresh.principal, askedSpeech(fresh.clock, texts));
      await fresh.node.work.run();
      return row.id;
    }
    async function share(jobId: string, head: Uint8Array = HEAD): Promise<FileRow | null> {
      const { node, principal, found } = fresh;
      const { part } = node.speechJobs.sound(await found(jobId), null);
      const named = { id: `file_${jobId.slice(4)}`, purpose: "batch_output", filename: "one.wav" } as const;
      return node.files.files.share(principal, { ...named, head, part, keptSeconds: null });
    }
    const contentOf = async (file: FileRow) =>
      Buffer.concat(await Array.fromAsync(fresh.node.files.files.content(file)));
    const soundIn = (id: string) => soundOf(fresh.node, fresh.principal, { id });
    const removeJob = async (id: string) => {
      await fresh.node.jobs.remove(await fresh.found(id));
      await fresh.node.rows.expire(id); // as its cleaning does
    };

    test.each([
      ["with a head", HEAD, ["One sentence."]],
      ["without one", Buffer.alloc(0), ["One sentence."]],
      ["of some chapters", HEAD, ["One sentence.", "Two sentences. Of some."]],
    ])("has its content, stored once: %s", async (_, head, texts) => {
      const { node, principal, contents } = fresh;
      const id = await made(texts);
      const sound = await soundIn(id);
      const before = await contents();
      const stored = await node.files.files.storedBytes(principal.organizationId);
      const file = (await share(id, head))!;
      expect(file.bytes).toBe(head.length + sound.length);
      expect((await contentOf(file)).equals(Buffer.concat([head, sound]))).toBeTrue();
      expect((await soundIn(id)).equals(sound)).toBeTrue();
      expect(await contents()).toBe(before + (head.length > 0 ? 1 : 0));
      const bytes = await node.files.files.storedBytes(principal.organizationId);
      expect(bytes - stored).toBe(head.length);
    });

    test("stays whole when the job is deleted, and ends the content when it is deleted", async () => {
      const { node, contents } = fresh;
      const id = await made(["One sentence.", "Two sentences. Of some."]);
      const sound = await soundIn(id);
      const file = (await share(id))!;
      await removeJob(id);
      expect(await contents()).toBe(2); // the chapters are gone
      expect((await contentOf(file)).equals(Buffer.concat([HEAD, sound]))).toBeTrue();
      expect(await node.files.files.remove(file)).toBeTrue();
      expect(await contents()).toBe(0);
    });

    test("leaves the job its result when it is deleted first", async () => {
      const { node, contents } = fresh;
      const id = await made();
      const sound = await soundIn(id);
      expect(await node.files.files.remove((await share(id))!)).toBeTrue();
      expect(await contents()).toBe(1);
      expect((await soundIn(id)).equals(sound)).toBeTrue();
      await removeJob(id);
      expect(await contents()).toBe(0);
    });

    test("of both deleted at once, nothing is left", async () => {
      const { node, contents } = fresh;
      for (let round = 0; round < ROUNDS; round++) {
        const id = await made();
        const file = (await share(id))!;
        await Promise.all([node.rows.expire(id), node.files.files.remove(file)]);
        expect(await contents()).toBe(0);
      }
    });

    test("is not made of a result that is gone, or that a file has already, and leaves nothing", async () => {
      const { node, principal, contents, found } = fresh;
      const id = await made();
      const { part } = node.speechJobs.sound(await found(id), null);
      await share(id);
      const again = { id: "file_again", purpose: "batch_output", filename: "two.wav" } as const;
      const asked = { ...again, head: HEAD, part, keptSeconds: null };
      expect(await node.files.files.share(principal, asked)).toBeNull();
      expect(await contents()).toBe(2);
      const other = await made();
      const gone = node.speechJobs.sound(await found(other), null).part;
      await removeJob(other);
      expect(await node.files.files.share(principal, { ...asked, part: gone })).toBeNull();
      expect(await contents()).toBe(2);
    });
  });
}

/** A process that makes and does one batch of speech, and kills itself at the step that its arguments name; or goes on with one. */
import { readFileSync } from "node:fs";
import { BATCH_WORK, openBatches } from "../../src/batches/batches.ts";
import { batchHandler } from "../../src/batches/run-batch.ts";
import type { Clock } from "../../src/clock.ts";
import { type BatchRows, openBatchRows } from "../../src/db/queries/batch-rows.ts";
import { Refusal } from "../../src/errors.ts";
import { openRaising } from "../../src/events/raising.ts";
import type { Files } from "../../src/files/files.ts";
import { openLog } from "../../src/log/log.ts";
import { askedSpeech, type JobNode, type NodeOptions, openJobNode } from "./job-node.ts";
import type { Orders } from "./killed-job.ts";

export const BATCH_STEPS = [
  ...(["added", "checked", "with a job of its first line", "with a line that is refused"] as const),
  ...(["with all its jobs", "begun", "charged for a line", "done with a line", "finalizing"] as const),
  ...(["with the sound of a line as a file", "with the answer of a line"] as const),
  ...(["with its output as a file", "with its errors as a file", "completed"] as const),
];

type Step = (typeof BATCH_STEPS)[number] | "none";
export type BatchOrders = Omit<Orders, "step" | "seconds"> & { step: Step };

export const LINES = ["One sentence of many.", "", "Two sentences. Of many."];

type DieAt = (reached: Step | null) => Promise<void>;

/** Makes the batch, if its orders name who makes it, and does what waits. */
export async function doBatch({ folder, url, keyId, step, nowMs }: BatchOrders): Promise<void> {
  const dieAt: DieAt = async (reached) => {
    if (step !== reached || step === "none") return;
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => {});
  };
  let now = nowMs;
  const clock = { now: () => now };
  await using node = await openDying({ folder, url, clock }, dieAt);
  const rows = openBatchRows(node.database);
  const handler = batchHandler({
    ...{ accounts: node.accounts, jobs: node.jobs, speechJobs: node.speechJobs, clock },
    ...{ raise: openRaising(clock), log: openLog("silent", () => {}) },
    files: dyingFiles(node.files.files, dieAt),
    rows: dyingRows(rows, dieAt),
    makeJob: jobMaker(node, clock, dieAt),
    answer: ({ code }, request_id) => ({ status_code: 400, request_id, body: { code } }),
    written: () => null,
  });
  node.work.handle(BATCH_WORK, handler);
  if (keyId !== null) {
    await makeBatch(node, clock, keyId);
    await dieAt("added");
  }
  for (let round = 0; round < 20; round++) {
    await node.work.run();
    now += 1000;
  }
}

const openDying = (place: Pick<NodeOptions, "folder" | "url" | "clock">, dieAt: DieAt) =>
  openJobNode({
    ...place,
    rowsOf: (rows) => ({
      ...rows,
      async begin(...rest) {
        const begun = await rows.begin(...rest);
        await dieAt("begun");
        return begun;
      },
      async complete(...rest) {
        const isCompleted = await rows.complete(...rest);
        await dieAt("done with a line");
        return isCompleted;
      },
    }),
    ledgerOf: (ledger) => ({
      ...ledger,
      async charge(...rest) {
        const charged = await ledger.charge(...rest);
        await dieAt("charged for a line");
        return charged;
      },
    }),
  });

function stepOfFile(name: string): Step | null {
  if (name.endsWith("_output.jsonl")) return "with its output as a file";
  return name.endsWith("_error.jsonl") ? "with its errors as a file" : null;
}

const dyingFiles = (files: Files, dieAt: DieAt): Files => ({
  ...files,
  async share(...rest) {
    const row = await files.share(...rest);
    await dieAt("with the sound of a line as a file");
    return row;
  },
  async receive(...rest) {
    const incoming = await files.receive(...rest);
    return {
      ...incoming,
      async finish(file) {
        const row = await incoming.finish(file);
        await dieAt(stepOfFile(file.filename));
        return row;
      },
    };
  },
});

const ENDS = { checked: "in_progress", finalizing: "finalizing" } as const;

const dyingRows = (rows: BatchRows, dieAt: DieAt): BatchRows => ({
  ...rows,
  async change(batch, fields) {
    const isChanged = await rows.change(batch, fields);
    for (const [name, status] of Object.entries(ENDS))
      if (fields.status === status) await dieAt(name as Step);
    return isChanged;
  },
  async refuse(line) {
    await rows.refuse(line);
    await dieAt("with a line that is refused");
  },
  async answered(...rest) {
    await rows.answered(...rest);
    await dieAt("with the answer of a line");
  },
  async end(...rest) {
    const isEnded = await rows.end(...rest);
    await dieAt("completed");
    return isEnded;
  },
});

function jobMaker(node: JobNode, clock: Clock, dieAt: DieAt): Parameters<typeof batchHandler>[0]["makeJob"] {
  let made = 0;
  return async (principal, { body, line }) => {
    const text = body.input as string;
    if (text === "") throw new Refusal("unsupported_response_format", "It is refused.");
    await node.speechJobs.create(principal, askedSpeech(clock, [text], { line }));
    await dieAt(++made === 1 ? "with a job of its first line" : "with all its jobs");
  };
}

async function makeBatch(node: JobNode, clock: Clock, keyId: string): Promise<void> {
  const principal = await node.accounts.principalOfStarter(keyId);
  const lines = LINES.map((input, index) =>
    JSON.stringify({ custom_id: `line ${index}`, method: "POST", url: "/v1/audio/speech", body: { input } }),
  );
  const { files } = node.files;
  const incoming = await files.receive(principal, 0);
  await incoming.write(Buffer.from(lines.join("\n")));
  const input = await incoming.finish({ purpose: "batch", filename: "lines.jsonl", keptSeconds: null });
  const batches = openBatches({ rows: openBatchRows(node.database), files, work: node.work, clock });
  await batches.create(principal, { endpoint: "/v1/audio/speech", inputFileId: input.id, metadata: {} });
}

if (import.meta.main) await doBatch(JSON.parse(readFileSync(0, "utf8")));

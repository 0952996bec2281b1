/** A process that makes and does one job that speaks two chapters, and kills itself at the step that its arguments name. */
import { readFileSync } from "node:fs";
import type { JobRows } from "../../src/db/queries/job-rows.ts";
import { chaptersOf } from "../../src/jobs/job-chapters.ts";
import { askedSpeech, openJobNode } from "./job-node.ts";
import type { Orders } from "./killed-job.ts";

export const SPEECH_STEPS = [
  ...(["added", "begun", "reserved", "spoken in part", "spoken to the end of a chapter"] as const),
  ...([
    "encoded as the first chapter",
    "charged for the first chapter",
    "paid for the first chapter",
  ] as const),
  ...(["encoded as the second chapter", "charged for the second chapter"] as const),
  ...(["paid for the second chapter", "joined", "completed"] as const),
];

type Step = (typeof SPEECH_STEPS)[number] | "none";
export type SpeechOrders = Omit<Orders, "step" | "seconds"> & { step: Step };

const sentences = (word: string) =>
  Array.from({ length: 120 }, () => `The ${word} sentence of many.`).join(" ");
export const TEXTS = [sentences("first"), sentences("second")];

if (import.meta.main) {
  const { folder, url, keyId, step, nowMs } = JSON.parse(readFileSync(0, "utf8")) as SpeechOrders;
  const dieAt = async (reached: Step | null) => {
    if (step !== reached) return;
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => {});
  };
  const after =
    <Rest extends unknown[], T>(
      call: (...rest: Rest) => Promise<T>,
      reached: (...rest: Rest) => Step | null,
    ) =>
    async (...rest: Rest): Promise<T> => {
      const result = await call(...rest);
      await dieAt(reached(...rest));
      return result;
    };
  const numberIn = (count: number) => (count === 1 ? "first" : "second");
  const chapterIn = ({ chapters }: { chapters: string | null }, is: "bytes" | "isPaid") =>
    numberIn(chaptersOf({ chapters }).filter((chapter) => chapter[is]).length);
  const rowsOf = (rows: JobRows): JobRows => ({
    ...rows,
    begin: after(rows.begin, () => "begun"),
    async reserve(...rest) {
      const exceeded = await rows.reserve(...rest);
      await dieAt("reserved");
      return exceeded;
    },
    spoken: after(rows.spoken, (_id, { piece, chapters }) => {
      if (piece === 0) return "spoken in part";
      return piece + 1 === chaptersOf({ chapters })[0]!.pieces ? "spoken to the end of a chapter" : null;
    }),
    encoded: after(rows.encoded, (_id, row) => `encoded as the ${chapterIn(row, "bytes")} chapter`),
    paid: after(rows.paid, (_id, row) => `paid for the ${chapterIn(row, "isPaid")} chapter`),
    joined: after(rows.joined, () => "joined"),
    complete: after(rows.complete, () => "completed"),
  });
  const clock = { now: () => nowMs };
  await using node = await openJobNode({
    ...{ folder, url, clock, rowsOf },
    ledgerOf: (ledger) => ({
      ...ledger,
      charge: after(
        ledger.charge,
        ({ id }) => `charged for the ${numberIn(Number(id.split(".")[1]))} chapter`,
      ),
    }),
  });
  if (keyId !== null) {
    const principal = await node.accounts.principalOfStarter(keyId);
    await node.speechJobs.create(principal, askedSpeech(clock, TEXTS));
    await dieAt("added");
  }
  await node.work.run();
}

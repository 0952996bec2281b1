/**
 * Fetches the recording of a job from its address, under the guard of outgoing requests, into the storage of files: once, so that an
 * attempt after this one finds it there.
 */
import type { JobRow, JobRows } from "../db/queries/job-rows.ts";
import { Refusal } from "../errors.ts";
import type { FileOwnerPlan } from "../files/file-limits.ts";
import type { Receive } from "../files/receiving.ts";
import { checkedUrl, type Guard, guardedRequest, requireAllowed } from "../net/guarded-request.ts";
import type { JobParts } from "./job-parts.ts";
import { Superseded } from "./superseded.ts";

export type FetchingDeps = {
  rows: Pick<JobRows, "received">;
  parts: Pick<JobParts, "url">;
  guard: Guard;
  receive: Receive;
  /** That a recording may have. */
  bytesMax: number;
};

const PARAM = "url";
const TOTAL_MS = 3_600_000;
const MIB = 1024 * 1024;

/** Refuses an address that may not be read. One that cannot be now may be later. */
export async function requireReadable(guard: Guard, url: string): Promise<void> {
  try {
    await requireAllowed(guard, url, PARAM);
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || refusal.code !== "url_unreachable") throw refusal;
  }
}

/** Refuses what the address answers unless it is a recording that is small enough. */
export async function fetchRecording(
  { rows, parts, guard, receive, bytesMax }: FetchingDeps,
  { id, url }: Pick<JobRow, "id" | "url">,
  { owner, signal }: { owner: FileOwnerPlan; signal: AbortSignal },
): Promise<void> {
  const address = checkedUrl(await parts.url(id, url!), PARAM);
  const answer = await guardedRequest(guard, address, {
    method: "GET",
    totalMs: TOTAL_MS,
    signal,
    param: PARAM,
  });
  try {
    if (answer.status !== 200) throw unreadable(answer.status);
    const announcedBytes = Number(answer.headers["content-length"] ?? 0) || 0;
    const tooLarge = () =>
      new Refusal("file_too_large", `The recording is larger than ${Math.floor(bytesMax / MIB)} MB.`);
    if (announcedBytes > bytesMax) throw tooLarge();
    await using incoming = await receive(owner, { ownerId: id, announcedBytes, bytesMax, tooLarge });
    for await (const chunk of answer.chunks()) await incoming.write(chunk);
    const bytes = await incoming.end();
    if (!(await rows.received(id, { id: incoming.partId, bytes }))) throw new Superseded();
    incoming.keep();
  } finally {
    answer.close();
  }
}

const unreadable = (status: number) =>
  new Refusal("url_unreachable", `The address could not be read. It answered with status ${status}.`, {
    param: PARAM,
  });

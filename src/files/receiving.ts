/**
 * Receives contents: reserves their bytes before they come, writes them encrypted as they come, and leaves nothing of those that
 * are given up. What a killed process leaves is found by its row, and deleted hours later.
 */
import { type Clock, unixSeconds } from "../clock.ts";
import type { openFileRows } from "../db/queries/file-rows.ts";
import { Refusal, unavailableOnError } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Allowance } from "../limits/allowance.ts";
import type { Log } from "../log/log.ts";
import { TransientMap } from "../transient.ts";
import { type FileOwnerPlan, requireStorable } from "./file-limits.ts";
import type { FileStorage } from "./file-storage.ts";
import type { SealedParts } from "./sealed-parts.ts";

/** What is reserved at a time for a content of unknown size. */
const STEP_BYTES = 32 * 1024 * 1024;
/** At one node. */
const AT_ONCE = { organization: 16, all: 64 };

export type Receiving = AsyncDisposable & {
  partId: string;
  write(bytes: Uint8Array): Promise<void>;
  /** Durable when it resolves; returns the bytes. What is not ended is deleted when this is disposed of. */
  end(): Promise<number>;
  /** Its row is a file's now: nothing is deleted. */
  keep(): void;
};

/** `announcedBytes`: at least as many as the content, or 0. */
type Content = {
  ownerId: string;
  /** Among the parts of its owner; absent: the only one. */
  position?: number;
  announcedBytes: number;
  bytesMax: number;
  tooLarge: () => Refusal;
};

export type Receive = (owner: FileOwnerPlan, content: Content) => Promise<Receiving>;

export type ReceivingDeps = {
  rows: ReturnType<typeof openFileRows>;
  sealed: SealedParts;
  storage: FileStorage;
  /** Throws where the storage is not this installation's. */
  ready: () => Promise<void>;
  allowance: Allowance;
  clock: Clock;
  log: Log;
};

export function openReceive(deps: ReceivingDeps): Receive {
  const { rows, clock } = deps;
  const places = openPlaces();
  return async (owner, content) => {
    const leave = places.enter(owner.organizationId);
    try {
      await unavailableOnError("The storage of files", deps.ready());
      const { storedBytes: max } = await deps.allowance(owner);
      const partId = newId("part", clock);
      const announced = Math.min(content.announcedBytes, content.bytesMax);
      const reserve = reserving(deps, { owner, partId, max });
      requireRoom(deps.storage, announced);
      await rows.addPart({
        ...{ id: partId, organizationId: owner.organizationId, ownerId: content.ownerId },
        position: content.position ?? 0,
        ...{ bytes: announced, state: "receiving", alsoOf: null, createdAt: unixSeconds(clock) },
      });
      return await receivingOf(deps, { partId, announced, content, reserve, leave });
    } catch (error) {
      leave();
      throw error;
    }
  };
}

/** Null: what its row has. */
type Reserve = (bytes: number | null) => Promise<void>;
type Opened = { partId: string; announced: number; content: Content; reserve: Reserve; leave: () => void };

async function receivingOf(deps: ReceivingDeps, opened: Opened): Promise<Receiving> {
  const { partId, announced, content, reserve, leave } = opened;
  const writer = deps.sealed.writer(partId);
  let received = 0;
  let reserved = announced;
  let isKept = false;
  const dispose = async () => {
    leave();
    if (!isKept) await giveUp(deps, { id: partId, bytes: Math.max(received, reserved) });
  };
  try {
    await reserve(null);
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    partId,
    async write(bytes) {
      received += bytes.length;
      if (received > content.bytesMax) throw content.tooLarge();
      if (received > reserved) {
        reserved = received + STEP_BYTES;
        requireRoom(deps.storage, STEP_BYTES);
        await reserve(reserved);
      }
      await unavailableOnError("The storage of files", writer.write(bytes));
    },
    async end() {
      await unavailableOnError("The storage of files", writer.end());
      return received;
    },
    keep() {
      isKept = true;
    },
    [Symbol.asyncDispose]: dispose,
  };
}

type Part = { id: string; bytes: number };

/** A failure is left to what looks for parts that were never ended. */
async function giveUp({ sealed, rows, log }: ReceivingDeps, part: Part): Promise<void> {
  try {
    await sealed.remove(part);
    await rows.deleteParts([part.id]);
  } catch (cause) {
    log.warn("file_not_deleted", { id: part.id, cause });
  }
}

/** Refuses where an organization would store more than it may; of contents that are received at once, all that do not fit. */
function reserving(
  { rows }: ReceivingDeps,
  { owner, partId, max }: { owner: FileOwnerPlan; partId: string; max: number },
): Reserve {
  return async (bytes) => {
    if (bytes !== null) await rows.reserve(partId, bytes);
    requireStorable(await rows.used(owner.organizationId), max);
  };
}

function requireRoom(storage: FileStorage, bytes: number): void {
  if (storage.hasRoom(bytes)) return;
  const message =
    "The disk for files is 90 % full. Try again once the server's operator has freed some of it.";
  throw new Refusal("service_unavailable", message, { retryAfterSeconds: 60 });
}

/** How many contents are received at once. */
function openPlaces() {
  const counts = new TransientMap<string, number>();
  let all = 0;
  return {
    /** Returns what is to be called when it leaves, once or more often. */
    enter(organizationId: string): () => void {
      const count = counts.get(organizationId) ?? 0;
      if (count >= AT_ONCE.organization || all >= AT_ONCE.all)
        throw new Refusal(
          "concurrency_limit_exceeded",
          `Your organization may send ${AT_ONCE.organization} files at once, and the server takes ${AT_ONCE.all}. Wait for one to end.`,
          { retryAfterSeconds: 5 },
        );
      counts.set(organizationId, count + 1);
      all++;
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        all--;
        const left = (counts.get(organizationId) ?? 1) - 1;
        if (left === 0) counts.delete(organizationId);
        else counts.set(organizationId, left);
      };
    },
  };
}

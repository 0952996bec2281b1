/** The rows of repeated requests that a batch of writes changes. Pure. */
import type { Charge } from "./burn-down.ts";
import {
  type Attempt,
  type ChargedAttempt,
  type Claimed,
  chargedRow,
  claim,
  type Replayable,
  released,
  renewed,
} from "./replay.ts";
import { type Name, nameOf, type ReplayName } from "./write.ts";

/** Each by its name, as the batch has it so far. */
export type Replays = {
  replayables: Map<string, Replayable>;
  /** To be saved whole. */
  savedReplayables: Map<string, Replayable>;
  deletedReplayables: Map<string, Name>;
};

export function claimReplay(replays: Replays, attempt: Attempt): Claimed {
  const { claimed, row } = claim(replays.replayables.get(nameOf(attempt)), attempt);
  put(replays, row);
  return claimed;
}

export function renewReplay(replays: Replays, attempt: Attempt): void {
  put(replays, renewed(replays.replayables.get(nameOf(attempt)), attempt.holderId, attempt.createdAt));
}

/** Also for what costs nothing: `charge` is then when it was done. */
export const noteCharged = (
  replays: Replays,
  attempt: ChargedAttempt,
  charge: Pick<Charge, "createdAt">,
): void => put(replays, chargedRow(replays.replayables.get(nameOf(attempt)), attempt, charge));

/** Nothing was charged: the next attempt is as if it were the first. */
export function abandonReplay(replays: Replays, attempt: Attempt): void {
  const row = replays.replayables.get(nameOf(attempt));
  if (row && !row.isCharged && row.holderId === attempt.holderId) release(replays, row);
}

/** The charge failed: the next attempt is as if it were the first. */
export function voidReplay(replays: Replays, name: ReplayName | undefined): void {
  const row = ofCharge(replays, name);
  if (row) release(replays, row);
}

/** The charge was taken back: what comes next is charged. */
export function forgetReplay(replays: Replays, name: ReplayName | undefined): void {
  const row = ofCharge(replays, name);
  if (row) remove(replays, row);
}

function ofCharge({ replayables }: Replays, name: ReplayName | undefined): Replayable | undefined {
  const row = name && replayables.get(nameOf(name));
  return row?.requestId === name?.requestId && row?.holderId === name?.holderId ? row : undefined;
}

function release(replays: Replays, row: Replayable): void {
  const before = released(row);
  if (before) put(replays, before);
  else remove(replays, row);
}

function put(replays: Replays, row: Replayable | null): void {
  if (row === null) return;
  const name = nameOf(row);
  replays.replayables.set(name, row);
  replays.savedReplayables.set(name, row);
  replays.deletedReplayables.delete(name);
}

function remove(replays: Replays, row: Replayable): void {
  const name = nameOf(row);
  replays.replayables.delete(name);
  replays.savedReplayables.delete(name);
  replays.deletedReplayables.set(name, [row.organizationId, row.id]);
}

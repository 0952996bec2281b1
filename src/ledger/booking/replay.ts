/**
 * Requests that clients send again because an answer was lost: each is charged once. Pure.
 *
 *   "key":    an Idempotency-Key            "retry":   an attempt that a client counts as a repetition
 *
 *   key       ──claim──> running ──charge──> charged ──claim──> replay, at most 5 within the hour ──> used, for a day
 *                ^ failed: deleted ┘    lease over: taken over with the ids of the first one's charges
 *   retry                        ──charge──> charged ──claim──> replay, at most 2 within 10 minutes
 *   both      ──charge of a part, because the client left──> left ──claim──> taken over likewise, as often as replayed
 *
 * A replay does the work again and is not charged. The row becomes charged, or left, in the transaction of the charge. What
 * takes a request over pays what the charges under its ids have not paid.
 *
 * A repetition may be charged while the original still runs, as on another node: then the original is the replay, once.
 */
import type { Charge } from "./burn-down.ts";

/** Times are Unix seconds. `id`: a digest of the API key, the path, and the Idempotency-Key or the content. */
export type Replayable = {
  organizationId: string;
  id: string;
  /** A digest of the content. */
  fingerprint: string;
  /** The request that the ids of charges are made of. */
  requestId: string;
  /** The request that does the work now. */
  holderId: string;
  isCharged: boolean;
  /** Of a charged row or a left one: when a repetition was charged whose original may still run; else 0. */
  leaseUntil: number;
  /** How often it was replayed, or taken over because its client had left. */
  replays: number;
  /** Of the charge, once there is one. */
  createdAt: number;
  expiresAt: number;
};

export type ReplayKind = keyof typeof KINDS;

/** One attempt at a request. */
export type Attempt = Pick<Replayable, "organizationId" | "id" | "fingerprint" | "holderId" | "createdAt"> & {
  kind: ReplayKind;
  /** Whether its client counts it as a repetition, or is known to have repeated it. */
  isRepetition: boolean;
};

/**
 * An attempt that is charged. `requestId`: the request that the ids of its charges are made of. `isLeft`: its client has
 * left, so that only a part is charged.
 */
export type ChargedAttempt = Attempt & { requestId: string; isLeft?: boolean };

/** `reused`: for another content. `requestId`: the request that the ids of charges are to be made of. */
export type Claimed = { state: "new" | "replay" | "running" | "used" | "reused"; requestId: string };

const KINDS = {
  key: { keptSeconds: 86_400, replaySeconds: 3600, replaysMax: 5 },
  retry: { keptSeconds: 600, replaySeconds: 600, replaysMax: 2 },
};

/** Of an organization. The oldest beyond them are deleted every hour. */
export const REPLAYABLES_MAX = 100_000;

/** How long a request that stopped renewing its lease is taken for running. */
const REPLAY_LEASE_SECONDS = 30;

/** What becomes of an attempt, and the row to be stored; null if none changes. */
export function claim(
  stored: Replayable | undefined,
  attempt: Attempt,
): { claimed: Claimed; row: Replayable | null } {
  const { kind, holderId, createdAt: now } = attempt;
  const { replaySeconds, replaysMax } = KINDS[kind];
  const row = stored && stored.expiresAt > now ? stored : undefined;
  const answer = (state: Claimed["state"], changed: Replayable | null = null) => ({
    claimed: { state, requestId: row?.requestId ?? holderId },
    row: changed,
  });
  const isOpen = row && row.replays < replaysMax && now < row.createdAt + replaySeconds;
  if (kind === "retry") {
    const isMeant = attempt.isRepetition || (row && row.leaseUntil > 0 && row.leaseUntil >= now);
    if (!isOpen || !isMeant) return { claimed: { state: "new", requestId: holderId }, row: null };
    const leaseUntil = attempt.isRepetition ? row.leaseUntil : 0;
    return answer(row.isCharged ? "replay" : "new", { ...row, replays: row.replays + 1, leaseUntil });
  }
  if (!row) return answer("new", running(attempt));
  if (row.fingerprint !== attempt.fingerprint) return answer("reused");
  const isOver = row.isCharged || row.leaseUntil === 0;
  if (isOver && !isOpen) return answer("used");
  const replays = isOver ? row.replays + 1 : row.replays;
  if (row.isCharged) return answer("replay", { ...row, replays });
  if (row.leaseUntil > now) return answer("running");
  return answer("new", { ...running(attempt), requestId: row.requestId, replays });
}

const running = ({ kind, isRepetition: _, ...attempt }: Attempt): Replayable => ({
  ...attempt,
  requestId: attempt.holderId,
  isCharged: false,
  leaseUntil: attempt.createdAt + REPLAY_LEASE_SECONDS,
  replays: 0,
  expiresAt: attempt.createdAt + KINDS[kind].keptSeconds,
});

/** The row of a request that was charged; null where it stays as it is: another attempt paid for all of it meanwhile. */
export function chargedRow(
  stored: Replayable | undefined,
  { requestId, isLeft = false, ...attempt }: ChargedAttempt,
  { createdAt }: Pick<Charge, "createdAt">,
): Replayable | null {
  if (isLeft && stored?.isCharged && stored.createdAt >= attempt.createdAt) return null;
  return {
    ...running({ ...attempt, createdAt }),
    requestId,
    isCharged: !isLeft,
    leaseUntil: attempt.kind === "retry" && attempt.isRepetition ? createdAt : 0,
    replays: stored?.requestId === requestId ? stored.replays : 0,
  };
}

/** The row of an attempt that ended without a charge: as it was where it had taken a request over, else null. */
export const released = (row: Replayable): Replayable | null =>
  row.requestId === row.holderId
    ? null
    : { ...row, isCharged: false, leaseUntil: 0, replays: Math.max(0, row.replays - 1) };

/** Of the request that does the work; null if it does so no longer. */
export const renewed = (row: Replayable | undefined, holderId: string, now: number): Replayable | null =>
  row && !row.isCharged && row.holderId === holderId
    ? { ...row, leaseUntil: now + REPLAY_LEASE_SECONDS }
    : null;

/**
 * A bucket of points: it refills evenly to its capacity, a minute's worth, and every request takes what it costs.
 * Pure: the caller passes the time, in milliseconds.
 *
 * Points that a node takes in advance are lent: until the node returns them, the bucket refills to that much less. What is
 * left and what is lent never exceed the capacity together.
 */
export type Bucket = { points: number; at: number; loans?: Loans };

/** By the node that holds them. A loan ends after a while, for the case that its node does. */
type Loans = Record<string, { points: number; until: number }>;

/** A node returns what is left of its loan, and asks for another. */
export type Exchange = { holder: string; returned: number; requested: number };

export type Taken = {
  admitted: boolean;
  bucket: Bucket;
  /** How long until the request would be admitted; 0 if it was. */
  retryMs: number;
  /** How long until the bucket is full again. */
  resetMs: number;
  /** The points of the new loan. */
  lent: number;
};

const MINUTE_MS = 60_000;

/** A difference below this is clock skew between nodes; above it, the clock was stepped back. */
const SKEW_MS = 60_000;

/** Much longer than a node keeps one, whatever its clock says. */
export const LOAN_MS = 10_000;

/** Points are lent only while more than this part of the capacity stays, so that a limit is exact near its end. */
export const KEPT_PART = 0.5;

function refill(bucket: Bucket | null, perMinute: number, now: number): Bucket {
  if (bucket === null) return { points: perMinute, at: now };
  const open = bucket.loans && openLoans(bucket.loans, now);
  const capacity = Math.max(0, perMinute - (open?.lent ?? 0));
  const loans = open && open.lent > 0 ? { loans: open.loans } : undefined;
  if (now <= bucket.at) {
    const steppedBack = bucket.at - now > SKEW_MS;
    return { points: Math.min(bucket.points, capacity), at: steppedBack ? now : bucket.at, ...loans };
  }
  const from = Math.max(bucket.at, open?.endedAt ?? 0); // refilling less than was due is safe
  const points = bucket.points + ((now - from) * perMinute) / MINUTE_MS;
  return { points: Math.min(points, capacity), at: now, ...loans };
}

/** The loans that have not ended, their points, and when the last one ended. */
function openLoans(loans: Loans, now: number) {
  let [lent, endedAt] = [0, 0];
  const open: Loans = {};
  for (const [holder, loan] of Object.entries(loans)) {
    if (loan.until <= now) endedAt = Math.max(endedAt, loan.until);
    else if (loan.until <= now + SKEW_MS) {
      open[holder] = loan;
      lent += loan.points;
    }
  }
  return { loans: open, lent, endedAt };
}

/** What is returned is in the bucket again, and no loan of this holder is open. */
function settle({ loans = {}, ...bucket }: Bucket, { holder, returned }: Exchange): Bucket {
  const { [holder]: ended, ...others } = loans;
  const points = bucket.points + Math.min(returned, ended?.points ?? 0);
  return { ...bucket, points, ...(Object.keys(others).length > 0 && { loans: others }) };
}

/** Takes the whole cost or nothing. A cost above the capacity is never admitted. An unknown bucket is full. */
export function take(
  stored: Bucket | null,
  perMinute: number,
  { cost, now, exchange }: { cost: number; now: number; exchange?: Exchange | undefined },
): Taken {
  const refilled = refill(stored, perMinute, now);
  const bucket = exchange ? settle(refilled, exchange) : refilled; // of its own, so that it may be changed
  const before = bucket.points;
  const admitted = before + EPSILON >= cost;
  const left = admitted ? Math.max(0, before - cost) : before;
  const loan = admitted && exchange ? Math.min(exchange.requested, left - perMinute * KEPT_PART) : 0;
  const lent = loan > EPSILON ? loan : 0; // else a difference of rounding would begin a loan
  bucket.points = left - lent;
  if (lent > 0)
    bucket.loans = { ...bucket.loans, [exchange!.holder]: { points: lent, until: now + LOAN_MS } };
  return {
    admitted,
    bucket,
    retryMs: admitted ? 0 : timeFor(cost - before, perMinute),
    resetMs: timeFor(perMinute - bucket.points, perMinute),
    lent,
  };
}

export const EPSILON = 1e-6; // thousandths of a point that repeated refills lose

export const timeFor = (points: number, perMinute: number) =>
  points <= 0 ? 0 : Math.ceil((points * MINUTE_MS) / Math.max(perMinute, Number.MIN_VALUE));

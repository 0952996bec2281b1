/**
 * A bucket of points: it refills evenly to its capacity, a minute's worth, and every request takes what it costs.
 * Pure: the caller passes the time, in milliseconds.
 */
export type Bucket = { points: number; at: number };

export type Taken = {
  admitted: boolean;
  bucket: Bucket;
  /** How long until the request would be admitted; 0 if it was. */
  retryMs: number;
  /** How long until the bucket is full again. */
  resetMs: number;
};

const MINUTE_MS = 60_000;

/** A difference below this is clock skew between nodes; above it, the clock was stepped back. */
const SKEW_MS = 60_000;

function refill(bucket: Bucket | null, perMinute: number, now: number): Bucket {
  if (bucket === null) return { points: perMinute, at: now };
  if (now <= bucket.at) {
    const steppedBack = bucket.at - now > SKEW_MS;
    return { points: Math.min(bucket.points, perMinute), at: steppedBack ? now : bucket.at };
  }
  const points = bucket.points + ((now - bucket.at) * perMinute) / MINUTE_MS;
  return { points: Math.min(points, perMinute), at: now };
}

/** Takes the whole cost or nothing. A cost above the capacity is never admitted. An unknown bucket is full. */
export function take(
  stored: Bucket | null,
  perMinute: number,
  { cost, now }: { cost: number; now: number },
): Taken {
  const full = refill(stored, perMinute, now);
  const admitted = full.points + EPSILON >= cost;
  const bucket = admitted ? { ...full, points: Math.max(0, full.points - cost) } : full;
  return {
    admitted,
    bucket,
    retryMs: admitted ? 0 : timeFor(cost - full.points, perMinute),
    resetMs: timeFor(perMinute - bucket.points, perMinute),
  };
}

const EPSILON = 1e-6; // thousandths of a point that repeated refills lose

const timeFor = (points: number, perMinute: number) =>
  points <= 0 ? 0 : Math.ceil((points * MINUTE_MS) / Math.max(perMinute, Number.MIN_VALUE));

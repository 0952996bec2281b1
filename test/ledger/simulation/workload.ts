/** What the nodes of one schedule are asked to write, drawn from its seed: batches of a few organizations that meet. */

import { type BudgetPeriod, type Charge, startingGrant } from "../../../src/ledger/booking/burn-down.ts";
import type { ChargedAttempt } from "../../../src/ledger/booking/replay.ts";
import type { RequestEnd, Write } from "../../../src/ledger/booking/write.ts";
import type { Plan } from "../../../src/plans.ts";
import { chargeOf, requestFor, requestOf } from "../../contract/ledger/charges.ts";

const DAY = 86_400;
const START = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000;
/** Where a node's clock may stand. */
const CLOCKS = [0, 0, 0, 0, 0, 1, 2 * DAY, 31 * DAY, -31 * DAY, 366 * DAY];

/** Those of a key and of its project. */
const BUDGETS: BudgetPeriod[] = [
  ["key", START],
  ["proj", START - DAY],
];

export type Random = { below(end: number): number; chance(share: number): boolean; oneOf<T>(all: T[]): T };

/** The same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return { below, chance: (share) => next() < share, oneOf: (all) => all[below(all.length)]! };
}

export type Workload = {
  organizations: string[];
  /** For each node its batches, one after the other. */
  nodes: Write[][][];
};

/** The organizations' names begin with `name`, which no other schedule on the same database has. */
export function workloadOf(random: Random, name: string): Workload {
  const organizations = ["a", "b"].slice(0, 1 + random.below(2)).map((letter) => `${name}_${letter}`);
  const plans = new Map<string, Plan>();
  const drawn = { organizations, plans, charges: [] as Charge[], grants: [] as string[], requests: 0 };
  const nodes: Write[][][] = Array.from({ length: 2 + random.below(3) }, () => []);
  const batches = nodes.length + random.below(3);
  for (let index = 0; index < batches; index++) {
    const now = START + random.oneOf(CLOCKS);
    const writes = Array.from({ length: 1 + random.below(3) }, () => writeOf(drawn, random, now));
    nodes[index < nodes.length ? index : random.below(nodes.length)]!.push(writes);
  }
  return { organizations, nodes };
}

type Drawn = {
  organizations: string[];
  /** Of each organization now. A charge keeps the plan that it was drawn under, whenever it is written. */
  plans: Map<string, Plan>;
  charges: Charge[];
  grants: string[];
  requests: number;
};

function writeOf(drawn: Drawn, random: Random, now: number): Write {
  const organizationId = random.oneOf(drawn.organizations);
  const kind = random.below(27);
  if (kind > 22) {
    const attempt = attemptOf(random, organizationId);
    return random.chance(0.2) ? { abandon: attempt } : { claim: attempt };
  }
  if (kind < 4) return { grant: grantOf(drawn, random, { organizationId, createdAt: now }) };
  if (kind < 5 && drawn.grants.length > 0) return { reversal: reversalOf(drawn, random, now) };
  if (kind < 7) return { log: requestOf({ id: `req_${drawn.requests++}`, organizationId, createdAt: now }) };
  if (kind < 8) return { limit: { organizationId, micros: random.below(1000) } };
  if (kind < 9 && drawn.charges.length > 0) {
    const charge = random.oneOf(drawn.charges);
    return { void: charge, replayable: attemptOf(random, charge.organizationId) };
  }
  if (kind < 10 && drawn.charges.length > 0) {
    const charge = random.oneOf(drawn.charges);
    return { refund: refundOf(charge, random), replayable: attemptOf(random, charge.organizationId) };
  }
  if (kind < 11 && drawn.charges.length > 0) return chargeAgain(random.oneOf(drawn.charges));
  if (kind < 14 && drawn.charges.length > 0) return { end: endOf(random.oneOf(drawn.charges), random) };
  const plan = drawn.plans.get(organizationId) ?? "prepaid";
  if (kind < 17) {
    const moved = plan === "prepaid" ? "unmetered" : "prepaid";
    drawn.plans.set(organizationId, moved);
    if (moved === "prepaid") return { grant: { ...startingGrant(organizationId, now), amountMicros: 300 } };
  }
  const costMicros = random.below(400);
  const requestId = `req_${drawn.requests++}`;
  const isRepeatable = random.chance(0.5);
  const of = { organizationId, requestId, costMicros, createdAt: isRepeatable ? START : now }; // no row expires
  const budgets = BUDGETS.slice(drawn.requests % 3);
  const charge = chargeOf({ ...of, budgets, plan: drawn.plans.get(organizationId) ?? plan });
  drawn.charges.push(charge);
  if (!isRepeatable) return chargeAgain(charge);
  return {
    ...chargeAgain(charge),
    replayable: { ...attemptOf(random, organizationId), isLeft: drawn.requests % 3 === 0 },
  };
}

/** One of few, so that they meet. */
function attemptOf(random: Random, organizationId: string): ChargedAttempt {
  return {
    kind: random.oneOf(["key", "retry"]),
    organizationId,
    id: random.oneOf(["one", "two"]),
    fingerprint: random.oneOf(["content", "content", "other"]),
    isRepetition: true,
    holderId: `holder_${random.below(4)}`,
    requestId: random.oneOf(["first", "holder_0", "holder_1"]), // its own or another's
    createdAt: START + random.oneOf([0, 0, 60]),
  };
}

export const chargeAgain = (charge: Charge) => ({ charge, request: requestFor(charge) });

/** Whether or not the charge is written by then. */
const endOf = ({ organizationId, requestId: id }: Charge, random: Random): RequestEnd => ({
  ...{ organizationId, id },
  durationMs: 1 + random.below(900),
  firstByteMs: random.chance(0.5) ? random.below(900) : null,
  audioSeconds: random.chance(0.5) ? random.below(100) / 4 : null,
  finalTextMs: random.chance(0.5) ? random.below(900) : null,
});

/** Of a part, seldom of more than was charged. */
function refundOf({ id: chargeId, organizationId, requestId, costMicros }: Charge, random: Random) {
  const part = random.below(costMicros + 20);
  return { chargeId, organizationId, requestId, quantity: part, costMicros: part };
}

function grantOf(
  { grants }: Drawn,
  random: Random,
  of: { organizationId: string; createdAt: number },
): Extract<Write, { grant: unknown }>["grant"] {
  const id = `grant_${of.organizationId}_${grants.length}`;
  grants.push(`${of.organizationId} ${id}`);
  const kind = random.chance(0.5) ? "purchase" : "adjustment";
  const expiresAt = random.chance(0.3) ? of.createdAt + (1 + random.below(3)) * DAY : null;
  return { ...of, id, kind, amountMicros: 1 + random.below(600), expiresAt, topUpId: null };
}

function reversalOf({ grants }: Drawn, random: Random, createdAt: number) {
  const [organizationId, grantId] = random.oneOf(grants).split(" ") as [string, string];
  const id = `refund_${grantId}`;
  return {
    id,
    organizationId,
    grantId,
    kind: "refund",
    amountMicros: 1 + random.below(300),
    createdAt,
  } as const;
}

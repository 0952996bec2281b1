/**
 * Credit that an operator gives and takes back. Idempotent under a key: an id is derived from the organization and the
 * key, and the ledger applies an id once.
 */
import { createHash } from "node:crypto";
import type { AuditType } from "../audit-types.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import { invalidInput, Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Grant, Reversal } from "./booking/burn-down.ts";
import type { Audited, Ledger } from "./ledger.ts";

const DAY_SECONDS = 86_400;
const ID_LENGTH = 24;

/** `days` null: never expires. `reason`: as its organization reads it. */
type Adjustment = {
  organizationId: string;
  amountMicros: number;
  days: number | null;
  reason: string | null;
  idempotencyKey: string | null;
};

type Told = {
  type: AuditType;
  organizationId: string;
  resourceId: string;
  changes: { field: string; before: null; after: string | number | null }[];
};

/** `prepared`: an event for the audit log, to be written with the change. */
type Adjusting = { clock: Clock; audit: { prepared(event: Told): Audited } };

const news = (fields: Record<string, string | number | null>) =>
  Object.entries(fields).map(([field, after]) => ({ field, before: null, after }));

/** Null if the key was used for a different grant. */
export async function giveCredit(
  ledger: Pick<Ledger, "grant">,
  { organizationId, amountMicros, days, reason, idempotencyKey }: Adjustment,
  { clock, audit }: Adjusting,
): Promise<Grant | null> {
  const createdAt = unixSeconds(clock);
  const id = idempotencyKey === null ? newId("grant", clock) : derivedId(organizationId, idempotencyKey);
  const expiresAt = days === null ? null : createdAt + days * DAY_SECONDS;
  const given = { id, organizationId, kind: "adjustment", amountMicros, createdAt, expiresAt } as const;
  const changes = news({
    amount_micros: amountMicros,
    ...(reason !== null && { reason }),
    ...(days !== null && { days }),
  });
  const event = { type: "billing.credit.granted", organizationId, resourceId: id, changes } as const;
  const grant = await ledger.grant({ ...given, topUpId: null, reason }, audit.prepared(event));
  const lastsSeconds = grant.expiresAt === null ? null : grant.expiresAt - grant.createdAt;
  const isSame = grant.amountMicros === amountMicros && lastsSeconds === (days && days * DAY_SECONDS);
  return isSame ? grant : null;
}

/** `amountMicros` null: all that remains of the grant. `overdraft`: also what was spent already, up to the grant's amount. */
type Taking = {
  organizationId: string;
  grantId: string;
  amountMicros: number | null;
  reason: string;
  overdraft: boolean;
  idempotencyKey: string | null;
};

/** Refused if there is no such grant, if it has less, or if the key was used for something else. */
export async function takeCredit(
  ledger: Pick<Ledger, "grants" | "correct">,
  { organizationId, grantId, reason, overdraft, idempotencyKey, ...asked }: Taking,
  { clock, audit }: Adjusting,
): Promise<Reversal> {
  const grant = (await ledger.grants(organizationId)).find(({ id }) => id === grantId);
  if (!grant) throw new Refusal("not_found", "There is no such grant.");
  const id = idempotencyKey === null ? newId("rev", clock) : derivedId(organizationId, idempotencyKey, "rev");
  const amountMicros = asked.amountMicros ?? grant.remainingMicros;
  const correction = { id, organizationId, grantId, amountMicros, reason, overdraft };
  if (amountMicros === 0) throw tooMuch(0);
  const changes = news({ amount_micros: amountMicros, reason });
  const event = { type: "billing.credit.revoked", organizationId, resourceId: grantId, changes } as const;
  const taken = { ...correction, createdAt: unixSeconds(clock) };
  const outcome = await ledger.correct(taken, audit.prepared(event));
  if ("availableMicros" in outcome) throw tooMuch(outcome.availableMicros);
  const isOther = outcome.grantId !== grantId || outcome.amountMicros !== amountMicros;
  if (isOther && asked.amountMicros !== null) throw keyReused("was used to take back other credit");
  return outcome;
}

const tooMuch = (availableMicros: number) =>
  invalidInput([
    {
      field: "amount_micros",
      code: "out_of_range",
      message: `must be at most ${availableMicros}: no more micros can be taken back of this grant`,
    },
  ]);

/** `what` the idempotency_key was used for. */
export const keyReused = (what: string) =>
  new Refusal("idempotency_key_reused", `This idempotency_key ${what}. Use another.`, {
    param: "idempotency_key",
  });

function derivedId(
  organizationId: string,
  idempotencyKey: string,
  prefix: "grant" | "rev" = "grant",
): string {
  const digest = createHash("sha256").update(`${organizationId} ${idempotencyKey}`).digest("hex");
  return `${prefix}_${BigInt(`0x${digest}`).toString(36).slice(-ID_LENGTH).padStart(ID_LENGTH, "0")}`;
}

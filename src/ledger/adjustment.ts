/**
 * Credit that an operator gives and takes back. Idempotent under a key: an id is derived from the organization and the
 * key, and the ledger applies an id once.
 */
import { createHash } from "node:crypto";
import { type Clock, unixSeconds } from "../clock.ts";
import { invalidInput, Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Grant, Reversal } from "./booking/burn-down.ts";
import type { Ledger } from "./ledger.ts";

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

/** Null if the key was used for a different grant. */
export async function giveCredit(
  ledger: Pick<Ledger, "grant">,
  { organizationId, amountMicros, days, reason, idempotencyKey }: Adjustment,
  clock: Clock,
): Promise<Grant | null> {
  const createdAt = unixSeconds(clock);
  const grant = await ledger.grant({
    id: idempotencyKey === null ? newId("grant", clock) : derivedId(organizationId, idempotencyKey),
    organizationId,
    kind: "adjustment",
    amountMicros,
    createdAt,
    expiresAt: days === null ? null : createdAt + days * DAY_SECONDS,
    topUpId: null,
    reason,
  });
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
  clock: Clock,
): Promise<Reversal> {
  const grant = (await ledger.grants(organizationId)).find(({ id }) => id === grantId);
  if (!grant) throw new Refusal("not_found", "There is no such grant.");
  const id = idempotencyKey === null ? newId("rev", clock) : derivedId(organizationId, idempotencyKey, "rev");
  const amountMicros = asked.amountMicros ?? grant.remainingMicros;
  const correction = { id, organizationId, grantId, amountMicros, reason, overdraft };
  if (amountMicros === 0) throw tooMuch(0);
  const outcome = await ledger.correct({ ...correction, createdAt: unixSeconds(clock) });
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

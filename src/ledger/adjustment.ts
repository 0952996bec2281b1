/**
 * Credit given by an operator. Idempotent under a key: the grant's id is derived from the organization and the key, and
 * the ledger applies an id once.
 */
import { createHash } from "node:crypto";
import { type Clock, unixSeconds } from "../clock.ts";
import { newId } from "../ids.ts";
import type { Grant } from "./booking/burn-down.ts";
import type { Ledger } from "./ledger.ts";

const DAY_SECONDS = 86_400;
const ID_LENGTH = 24;

/** `days` null: never expires. */
type Adjustment = {
  organizationId: string;
  amountMicros: number;
  days: number | null;
  idempotencyKey: string | null;
};

/** Null if the key was used for a different grant. */
export async function giveCredit(
  ledger: Pick<Ledger, "grant">,
  { organizationId, amountMicros, days, idempotencyKey }: Adjustment,
  clock: Clock,
): Promise<Grant | null> {
  const createdAt = unixSeconds(clock);
  const grant = await ledger.grant({
    id: idempotencyKey === null ? newId("grant", clock) : idOf(organizationId, idempotencyKey),
    organizationId,
    kind: "adjustment",
    amountMicros,
    createdAt,
    expiresAt: days === null ? null : createdAt + days * DAY_SECONDS,
    topUpId: null,
  });
  const lastsSeconds = grant.expiresAt === null ? null : grant.expiresAt - grant.createdAt;
  const isSame = grant.amountMicros === amountMicros && lastsSeconds === (days && days * DAY_SECONDS);
  return isSame ? grant : null;
}

function idOf(organizationId: string, idempotencyKey: string): string {
  const digest = createHash("sha256").update(`${organizationId} ${idempotencyKey}`).digest("hex");
  return `grant_${BigInt(`0x${digest}`).toString(36).slice(-ID_LENGTH).padStart(ID_LENGTH, "0")}`;
}

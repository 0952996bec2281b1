/** The limits of an organization as they are now, for work that is admitted without its buckets. */
import { type Limited, type Limits, limitsOf } from "../plans.ts";

type AllowanceDeps = {
  ledger: { credit(organizationId: string): Promise<{ purchasedMicros: number }> };
  /** The limits of unmetered organizations. */
  machine: Limits;
};

export type Allowance = (of: Limited & { organizationId: string }) => Promise<Limits>;

export const openAllowance =
  ({ ledger, machine }: AllowanceDeps): Allowance =>
  async (of) => {
    const isPrepaid = of.plan === "prepaid";
    const { purchasedMicros } = isPrepaid ? await ledger.credit(of.organizationId) : { purchasedMicros: 0 };
    return limitsOf(of, purchasedMicros, machine);
  };

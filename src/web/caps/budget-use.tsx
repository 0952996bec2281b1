/** What restricts a key or a project, with what is used of its budget in the period that is under way. */
import type { Reply } from "../api/server.ts";
import { useNow } from "../browser/now.ts";
import { amount } from "../format/dollars.ts";
import { span } from "../format/times.ts";
import { Badge } from "../ui/page.tsx";
import { INTERVALS, otherCaps } from "./cap-fields.tsx";

type Capped = Pick<Reply<"GET /api/keys/:key">, "restrictions" | "budget_period">;

const STATES = {
  within: null,
  near: <Badge tone="warn">nearly used up</Badge>,
  reached: <Badge tone="bad">used up</Badge>,
};

/** In the lines of a cell; nothing where it is not restricted. */
export function Caps({ of: { restrictions, budget_period: period } }: { of: Capped }) {
  const budget = restrictions?.budget;
  const others = otherCaps(restrictions);
  return (
    <>
      {budget && period && (
        <>
          {budgetText(budget, period)} {STATES[period.state]}
          <small className="second-line">
            <BeginsAgain at={period.begins_again_at} />
          </small>
        </>
      )}
      {others && <small className="second-line">{budget ? `and ${others}` : others}</small>}
    </>
  );
}

type Budget = NonNullable<NonNullable<Capped["restrictions"]>["budget"]>;

export const budgetText = (
  { limit_micros, interval }: Budget,
  { used_micros }: NonNullable<Capped["budget_period"]>,
): string => `${amount(used_micros)} of ${amount(limit_micros)} ${INTERVALS[interval]}`;

function BeginsAgain({ at }: { at: number | null }) {
  return useBeginsAgain(at);
}

/** When a budget begins again, in words. */
export function useBeginsAgain(at: number | null): string {
  const now = useNow(60_000);
  return at === null ? "until it is reset" : `begins again in ${span(Math.max(60, at - now))}`;
}

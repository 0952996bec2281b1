/** The month that a page of money is about: one of the last 24, in UTC. */
import { systemClock } from "../../../clock.ts";
import { Choice } from "../../ui/form/form.tsx";

const MONTHS = 24;

type MonthChoiceProps = { month: string; onChoose(month: string): void };

export const MonthChoice = ({ month, onChoose }: MonthChoiceProps) => (
  <Choice label="Month (UTC)" value={month} onChange={({ target }) => onChoose(target.value)}>
    {[...new Set([month, ...lastMonths()])].map((each) => (
      <option key={each}>{each}</option>
    ))}
  </Choice>
);

export const currentMonth = (): string => lastMonths()[0]!;

/** The newest first. */
function lastMonths(): string[] {
  const now = new Date(systemClock.now());
  return Array.from({ length: MONTHS }, (_, ago) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 7),
  );
}

/** Line items of costs: a model and what is counted of it, such as `svc-tts1, characters`. Pure. */
import { roundSeconds } from "../../../ledger/booking/seconds.ts";
import type { UsageRow } from "../../../ledger/ledger.ts";

const UNITS = { characters: "characters", seconds: "duration_seconds", tokens: "tokens" } as const;

export type LineItem = { name: string; quantity: number; unit: (typeof UNITS)[keyof typeof UNITS] };

/** Of a row that is grouped by model: a model is charged in one unit. */
export function lineItemOf(row: UsageRow): LineItem {
  const counted = row.characters !== 0 ? "characters" : row.audioSeconds !== 0 ? "seconds" : "tokens";
  const quantity = {
    characters: row.characters,
    seconds: roundSeconds(row.audioSeconds),
    tokens: row.tokens,
  };
  return { name: `${row.groups.model}, ${counted}`, quantity: quantity[counted], unit: UNITS[counted] };
}

/** The last comma parts them: a model's name may have some. */
export const readLineItem = (name: string) => ({ model: name.slice(0, name.lastIndexOf(", ")) });

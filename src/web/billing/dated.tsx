/** A day as people read it, with the exact time behind it, and as spreadsheets do. */
import { day, moment } from "../ui/format.ts";

export function Dated({ at }: { at: number }) {
  return (
    <span className="one-line" title={moment(at)}>
      {day(at)}
    </span>
  );
}

/** Unix seconds as ISO 8601. */
export const isoOf = (at: number): string => new Date(at * 1000).toISOString();

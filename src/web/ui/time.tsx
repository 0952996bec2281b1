/** Points in time, relative or as a date; the exact time is the title of each. */
import { day, distance, moment } from "../lib/format.ts";

type RelativeTimeProps = {
  /** Unix seconds. */
  at: number | null;
  /** Shown for null. */
  otherwise?: string;
};

export function RelativeTime({ at, otherwise = "" }: RelativeTimeProps) {
  if (at === null) return otherwise;
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={moment(at)}>
      {distance(at)}
    </time>
  );
}

/** `at` in Unix seconds. */
export function Day({ at }: { at: number }) {
  return (
    <time className="one-line" dateTime={new Date(at * 1000).toISOString()} title={moment(at)}>
      {day(at)}
    </time>
  );
}

/** Points in time, relative or as a date; the exact time is the title of each. */
import { day, distance, moment } from "../lib/format.ts";

type RelativeTimeProps = {
  /** Unix seconds. */
  time: number | null;
  /** Shown for null. */
  otherwise?: string;
};

export function RelativeTime({ time, otherwise = "" }: RelativeTimeProps) {
  if (time === null) return otherwise;
  return (
    <time dateTime={new Date(time * 1000).toISOString()} title={moment(time)}>
      {distance(time)}
    </time>
  );
}

/** `time` in Unix seconds. */
export function Day({ time }: { time: number }) {
  return (
    <time className="one-line" dateTime={new Date(time * 1000).toISOString()} title={moment(time)}>
      {day(time)}
    </time>
  );
}

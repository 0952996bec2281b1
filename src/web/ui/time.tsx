/** Points in time: relative where less than a day away, otherwise a date; the exact time is the title of each. */
import { day, distance, isWithinDay, moment } from "../format/times.ts";

type RelativeTimeProps = {
  /** Unix seconds. */
  time: number | null;
  /** Shown for null. */
  otherwise?: string;
};

export function RelativeTime({ time, otherwise = "" }: RelativeTimeProps) {
  if (time === null) return otherwise;
  return (
    <time className="one-line" dateTime={new Date(time * 1000).toISOString()} title={moment(time)}>
      {isWithinDay(time) ? distance(time) : day(time)}
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

/** A time as how far it is away; the exact one is its title. */
import { distance, moment } from "./format.ts";

type WhenProps = {
  /** Unix seconds. */
  at: number | null;
  /** Where there is none. */
  otherwise?: string;
};

export function When({ at, otherwise = "" }: WhenProps) {
  if (at === null) return otherwise;
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={moment(at)}>
      {distance(at)}
    </time>
  );
}

/** The time of day as a page shows it: it moves on while somebody looks. */
import { useEffect, useState } from "react";
import { systemClock, unixSeconds } from "../../clock.ts";

/** Unix seconds, read again so often. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => unixSeconds(systemClock));
  useEffect(() => {
    const timer = setInterval(() => setNow(unixSeconds(systemClock)), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

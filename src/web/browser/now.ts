/** The current time, updated while a page is open. */
import { useEffect, useState } from "react";
import { systemClock, unixSeconds } from "../../clock.ts";

/** Unix seconds, updated at this interval. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => unixSeconds(systemClock));
  useEffect(() => {
    const timer = setInterval(() => setNow(unixSeconds(systemClock)), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

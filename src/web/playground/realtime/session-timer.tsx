/** How long a session has been open. */
import { useEffect, useState } from "react";
import { timerText } from "../audio/time-text.ts";

const EVERY_MS = 250;

/** `startedAt`: by the clock of the page; null: it is not open yet. `isRunning`: otherwise the time stands still. */
type SessionTimerProps = { startedAt: number | null; isRunning: boolean };

export function SessionTimer({ startedAt, isRunning }: SessionTimerProps) {
  const [now, setNow] = useState(startedAt ?? 0);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(performance.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return <span className="time">{timerText(startedAt === null ? 0 : (now - startedAt) / 1000)}</span>;
}

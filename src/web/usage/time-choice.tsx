/** The choice of a time in a bar of filters, kept in the address: a last span, or a beginning and an end. */
import { systemClock, unixSeconds } from "../../clock.ts";
import { Choice, Field } from "../ui/form/form.tsx";
import { localAt, localText, timeIn } from "./date-range.ts";
import { useAddress } from "./filters.tsx";

const LAST: Record<string, [name: string, seconds: number]> = {
  "1h": ["Last hour", 3600],
  "24h": ["Last 24 hours", 86_400],
  "7d": ["Last 7 days", 604_800],
  "30d": ["Last 30 days", 2_592_000],
};

/** The bounds in Unix seconds, as far as there are any. */
export function timesIn(search: URLSearchParams, now: number): { start?: number; end?: number } {
  const last = LAST[search.get("last") ?? ""];
  const [start, end] = [timeIn(search, "start") ?? (last ? now - last[1] : null), timeIn(search, "end")];
  return { ...(start === null ? {} : { start }), ...(end === null ? {} : { end }) };
}

/** `reset`: what else of the address is no longer valid at another time. */
export function TimeChoice({ reset = {} }: { reset?: Record<string, null> }) {
  const [search, change] = useAddress();
  const times = { start: timeIn(search, "start"), end: timeIn(search, "end") };
  const custom = times.start !== null || times.end !== null;
  const choose = (name: string) => {
    if (name !== "custom") return change({ ...reset, last: name, start: null, end: null });
    const now = unixSeconds(systemClock);
    change({ ...reset, last: null, start: String(now - 86_400), end: String(now) });
  };
  const set = (bound: "start" | "end", text: string) => {
    const time = localAt(text);
    if (!Number.isNaN(time)) change({ ...reset, [bound]: String(time) });
  };
  return (
    <>
      <Choice
        label="Time"
        value={custom ? "custom" : (search.get("last") ?? "")}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="">Any time</option>
        {Object.entries(LAST).map(([id, [name]]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        <option value="custom">Custom</option>
      </Choice>
      {custom &&
        (["start", "end"] as const).map((bound) => (
          <Field
            key={bound}
            label={bound === "start" ? "From" : "To"}
            type="datetime-local"
            value={times[bound] === null ? "" : localText(times[bound])}
            onChange={(event) => set(bound, event.target.value)}
          />
        ))}
    </>
  );
}

/** The table of log events in docs/monitoring.md, drawn from their one list. */
import { EVENTS } from "../../src/log/log-events.ts";
import { aligned, withBlock } from "./blocks.ts";

/** The page with its table as the list says. */
export function withLogEvents(page: string): string {
  const rows = Object.entries(EVENTS).flatMap(([level, events]) =>
    Object.entries(events).map(([name, meaning]) => [`\`${name}\``, level, meaning]),
  );
  const table = aligned([["Event", "Level", "Meaning"], ...rows]);
  return withBlock(page, "events", table.join("\n"));
}

/** The table of events in docs/webhooks.md, drawn from their one list. */
import { EVENT_TYPES } from "../../src/events/event-types.ts";
import { aligned, withBlock } from "./blocks.ts";

/** The page with its table as the list says. */
export function withWebhookEvents(page: string): string {
  const rows = Object.entries(EVENT_TYPES).map(([type, { receiver, toServer, when, sample }]) => [
    `\`${type}\``,
    toServer ? `${receiver}, server` : receiver,
    when,
    Object.keys(sample)
      .map((name) => `\`${name}\``)
      .join(", "),
  ]);
  const table = aligned([["Event", "Kind", "When", "`data`"], ...rows]);
  return withBlock(page, "webhook events", table.join("\n"));
}

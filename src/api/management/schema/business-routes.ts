/** The route of the page Business: income and use of the whole server by month. */
import Type from "typebox";
import { Flag, nullable, Text, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const Month = Type.Object({
  /** Such as 2026-11 (UTC). */
  month: Text,
  /** Bought credit, less refunds and disputes of the month; without tax. */
  income_micros: Whole,
  bought_micros: Whole,
  refunded_micros: Whole,
  tax_micros: Whole,
  /** Granted without a payment. */
  given_micros: Whole,
  corrected_micros: Whole,
  expired_micros: Whole,
  /** What requests cost, including those of unmetered organizations. */
  cost_micros: Whole,
  /** The part of it that was deducted from credit. */
  used_micros: Whole,
  new_organizations: Whole,
});

const Used = Type.Object({
  organization_id: Text,
  organization_name: nullable(Text),
  cost_micros: Whole,
  used_micros: Whole,
  /** The cost in the month before; in as many days of it, if the month has not ended. */
  before_micros: Whole,
  /** The change of the cost against it, such as 0.5 for half as much again; null: there was none before. */
  growth: nullable(Type.Number()),
});

export const businessRoutes = {
  "GET /api/operator/business": {
    summary:
      "Get income, use, granted and expired credit of twelve months, the organizations that used most, and the load of models by day",
    needs: "operator",
    /** The last of the months, such as 2026-11; without it the current one. */
    query: Type.Object({ month: Type.Optional(Type.String({ maxLength: 7 })) }),
    reply: Type.Object({
      object: Type.Literal("business"),
      month: Text,
      /** Exclusive: the end of the month, or now. */
      end: Whole,
      /** Exclusive: the end of the part of the month before that use is compared with. */
      compared_until: Whole,
      /** Whether the server takes payments, or took any in these months. */
      sells: Flag,
      /** The oldest first. */
      months: Type.Array(Month),
      /** The organizations whose requests cost most in the month, twenty at most. */
      most: Type.Array(Used),
      /** What all organizations had each model do, by day (UTC) of the month. */
      load: Type.Array(
        Type.Object({
          /** Unix seconds. */
          start: Whole,
          /** Empty: the request was refused before one was known. */
          model: Text,
          requests: Whole,
          characters: Whole,
          audio_seconds: Type.Number(),
          tokens: Whole,
        }),
      ),
      /** Organizations that were created in the month, the newest first, twenty at most. */
      newest: Type.Array(Type.Object({ organization_id: Text, organization_name: Text, created_at: Whole })),
    }),
  },
} as const satisfies Routes;

/** The route of monthly accounts: what became of the credit of each organization. */
import Type from "typebox";
import { STATEMENT_FIELDS, type StatementField } from "../../../statement-fields.ts";
import { nullable, Text, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const Amounts = Object.fromEntries(STATEMENT_FIELDS.map((field) => [`${field}_micros`, Whole])) as {
  [Field in StatementField as `${Field}_micros`]: typeof Whole;
};

export const statementRoutes = {
  "GET /api/operator/accounts": {
    summary: "Get what became of the credit of each organization in a month (UTC), such as 2026-11",
    needs: "operator",
    /** The current month, unless said. */
    query: Type.Object({ month: Type.Optional(Type.String({ maxLength: 7 })) }),
    reply: Type.Object({
      object: Type.Literal("accounts"),
      month: Text,
      /** Until just before then: the end of the month, or now. */
      start: Whole,
      end: Whole,
      data: Type.Array(Type.Object({ organization_id: Text, organization_name: nullable(Text), ...Amounts })),
      totals: Type.Object(Amounts),
    }),
  },
} as const satisfies Routes;

/** Routes of the spend alerts of an organization, its projects and keys: members read them, admins change them. */
import Type from "typebox";
import {
  NewSpendAlertFields,
  SPEND_ALERT_RECORD,
  SpendAlertChangeFields,
} from "../../../spend-alert-fields.ts";
import { listOf, Text } from "./records.ts";
import type { Routes } from "./route.ts";

const AlertRecord = Type.Object({ object: Type.Literal("spend_alert"), ...SPEND_ALERT_RECORD });

export const alertRoutes = {
  "GET /api/organizations/:organization/spend-alerts": {
    summary: "List spend alerts of the organization, its projects and keys, the oldest first",
    needs: "member",
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      cursor: Type.Optional(Text),
    }),
    reply: listOf(AlertRecord),
  },
  "POST /api/organizations/:organization/spend-alerts": {
    summary: "Create a spend alert of the organization, of a project or of a key",
    needs: "admin",
    status: 201,
    body: Type.Object({
      ...NewSpendAlertFields.properties,
      project_id: Type.Optional(Text),
      api_key_id: Type.Optional(Text),
    }),
    reply: AlertRecord,
  },
  "GET /api/organizations/:organization/spend-alerts/:spendAlert": {
    summary: "Retrieve a spend alert",
    needs: "member",
    reply: AlertRecord,
  },
  "PATCH /api/organizations/:organization/spend-alerts/:spendAlert": {
    summary: "Change a spend alert",
    needs: "admin",
    body: SpendAlertChangeFields,
    reply: AlertRecord,
  },
  "DELETE /api/organizations/:organization/spend-alerts/:spendAlert": {
    summary: "Delete a spend alert",
    needs: "admin",
    confirms: true,
  },
} as const satisfies Routes;

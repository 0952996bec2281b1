/**
 * Routes of the spend alerts of an organization, its projects and keys: members read them, admins change them. And of addresses
 * that are asked by mail whether they want to be told.
 */
import Type from "typebox";
import {
  NewSpendAlertFields,
  SPEND_ALERT_RECORD,
  SpendAlertChangeFields,
} from "../../../spend-alert-fields.ts";
import { Flag, listOf, Text } from "./records.ts";
import type { Routes } from "./route.ts";

const AlertRecord = Type.Object({ object: Type.Literal("spend_alert"), ...SPEND_ALERT_RECORD });

export const alertRoutes = {
  "POST /api/mail-of-alerts": {
    summary: "Agree to mail of an organization's alerts, or end it, with the token of a mailed link",
    needs: "anyone",
    body: Type.Object({ token: Type.String({ maxLength: 2000 }), wants: Flag }),
    reply: Type.Object({
      object: Type.Literal("mail_of_alerts"),
      email: Text,
      state: Type.Enum(["confirmed", "unsubscribed"]),
      /** The name of the organization. */
      organization: Text,
    }),
  },
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

/** Routes that delete an organization, after some days or at once, and undo it until then; and one's own account. */
import Type from "typebox";
import { TenantRecord } from "./operator-routes.ts";
import { Flag, OrganizationRecord, Text } from "./records.ts";
import type { Routes } from "./route.ts";

/** The name of the organization, as a person types it. */
const Named = { name: Text };

export const deletionRoutes = {
  "POST /api/account/delete": {
    summary: "Delete one's own account: with the password, or within 15 minutes of signing in",
    needs: "user",
    confirms: true,
    body: Type.Object({ password: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })) }),
  },
  "POST /api/organizations/:organization/delete": {
    summary: "Delete an organization in seven days; its keys are refused at once",
    needs: "owner",
    confirms: true,
    status: 202,
    body: Type.Object(Named),
    reply: OrganizationRecord,
  },
  "POST /api/organizations/:organization/delete/undo": {
    summary: "Keep an organization that is about to be deleted; its keys are accepted again",
    needs: "owner",
    reply: OrganizationRecord,
  },
  "POST /api/operator/organizations/:tenant/delete": {
    summary: "Delete an organization in seven days, or at once",
    needs: "operator",
    confirms: true,
    status: 202,
    body: Type.Object({
      ...Named,
      /** At once, which cannot be undone. */
      now: Type.Optional(Flag),
    }),
    reply: TenantRecord,
  },
  "POST /api/operator/organizations/:tenant/delete/undo": {
    summary: "Keep an organization that is about to be deleted",
    needs: "operator",
    reply: TenantRecord,
  },
} as const satisfies Routes;

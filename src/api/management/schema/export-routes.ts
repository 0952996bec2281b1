/** The routes that give people what is kept about them, and owners all that is kept of their organization. */
import type { Routes } from "./route.ts";

export const exportRoutes = {
  "POST /api/account/export": {
    summary: "Download what is kept about oneself: a ZIP archive of JSON lines, without secrets",
    needs: "user",
    confirms: true,
    download: "archive",
  },
  "POST /api/organizations/:organization/export": {
    summary:
      "Download what is kept of an organization: a ZIP archive of JSON lines and recordings, without secrets",
    needs: "owner",
    confirms: true,
    download: "archive",
  },
} as const satisfies Routes;

/** The route that gives owners all that is kept of their organization. */
import type { Routes } from "./route.ts";

export const exportRoutes = {
  "POST /api/organizations/:organization/export": {
    summary:
      "Download what is kept of an organization: a ZIP archive of JSON lines and recordings, without secrets",
    needs: "owner",
    confirms: true,
    download: "archive",
  },
} as const satisfies Routes;

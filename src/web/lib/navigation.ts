/** The entries of the navigation, and who sees them. */
import type { Membership } from "./session.ts";

/** `role`: the least role that sees the entry. `isMoney`: only where credit pays. */
type Entry = { name: string; path: string; role?: "admin"; isMoney?: true };

const ENTRIES: Entry[] = [
  { name: "Overview", path: "overview" },
  { name: "Playground", path: "playground" },
  { name: "Usage", path: "usage" },
  { name: "Requests", path: "requests" },
  { name: "Limits", path: "limits" },
  { name: "API keys", path: "keys" },
  { name: "Projects", path: "projects" },
  { name: "Members", path: "members" },
  { name: "Billing", path: "billing", role: "admin", isMoney: true },
  { name: "Settings", path: "settings" },
];

export const entriesOf = ({ role: own, plan }: Membership): Entry[] =>
  ENTRIES.filter(
    ({ role, isMoney }) => (role === undefined || own !== "member") && (!isMoney || plan === "prepaid"),
  );

export const OPERATOR_ENTRIES: Entry[] = [
  { name: "Organizations", path: "organizations" },
  { name: "Models", path: "models" },
  { name: "Status", path: "status" },
];

export const hrefOf = (organizationId: string, path: string): string => `/orgs/${organizationId}/${path}`;

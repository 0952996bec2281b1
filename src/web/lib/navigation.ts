/** Where one can go, and who is shown the way. */
import type { Membership } from "./session.ts";

type Entry = { name: string; path: string; needs?: "admin" };

const ENTRIES: Entry[] = [
  { name: "Overview", path: "overview" },
  { name: "Usage", path: "usage" },
  { name: "Requests", path: "requests" },
  { name: "Limits", path: "limits" },
  { name: "API keys", path: "keys" },
  { name: "Projects", path: "projects" },
  { name: "Members", path: "members" },
  { name: "Billing", path: "billing", needs: "admin" },
  { name: "Settings", path: "settings" },
];

export const entriesOf = ({ role }: Membership): Entry[] =>
  ENTRIES.filter(({ needs }) => needs === undefined || role !== "member");

export const OPERATOR_ENTRIES: Entry[] = [
  { name: "Organizations", path: "organizations" },
  { name: "Models", path: "models" },
  { name: "Status", path: "status" },
];

export const hrefOf = (organizationId: string, path: string): string => `/orgs/${organizationId}/${path}`;

/** The entries of the navigation in their groups, and who sees them. */

import type { Membership } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import type { IconName } from "../ui/icon.tsx";

/** `isOutside`: a page that is loaded by itself, because it has other rights or is not one of the dashboard. */
export type Entry = { name: string; href: string; icon: IconName; isOutside?: true };
/** The first group has no name. */
export type EntryGroup = { name: string | null; entries: Entry[] };

/** `current`: null for a user without an organization. */
export function entryGroups(current: Membership | null, isOperator: boolean): EntryGroup[] {
  return [...(current ? organizationGroups(current) : []), ...(isOperator ? [SERVER] : [])];
}

function organizationGroups({ id, role, plan }: Membership): EntryGroup[] {
  const page = (name: string, icon: IconName, path: string = icon): Entry => ({
    name,
    icon,
    href: hrefOf(id, path),
  });
  const isAdmin = role !== "member";
  return [
    { name: null, entries: [page("Overview", "overview")] },
    {
      name: "Build",
      entries: [
        page("Playground", "playground"),
        page("Connect", "connect"),
        page("API keys", "keys"),
        { name: "Documentation", icon: "docs", href: "/docs", isOutside: true },
      ],
    },
    {
      name: "Observe",
      entries: [
        page("Usage", "usage"),
        page("Requests", "requests"),
        page("Jobs", "jobs"),
        page("Limits", "limits"),
      ],
    },
    {
      name: "Organization",
      entries: [
        page("Projects", "projects"),
        page("Members", "members"),
        page("Voices", "microphone", "voices"),
        page("Pronunciations", "pronunciations"),
        // unmetered organizations have no bills
        ...(isAdmin && plan === "prepaid" ? [page("Billing", "billing")] : []),
        ...(role === "owner" ? [page("Automation", "code", "automation")] : []),
        ...(isAdmin ? [page("Webhooks", "webhooks"), page("Audit log", "audit")] : []),
        page("Settings", "settings"),
      ],
    },
  ];
}

const SERVER: EntryGroup = {
  name: "Server",
  entries: [
    { name: "Models", icon: "models", href: "/operator/models" },
    { name: "Upstreams", icon: "upstreams", href: "/operator/upstreams" },
    { name: "Conversations", icon: "conversations", href: "/operator/conversations" },
    { name: "Aliases", icon: "aliases", href: "/operator/aliases" },
    { name: "Organizations", icon: "organizations", href: "/operator/organizations" },
    { name: "Users", icon: "members", href: "/operator/users" },
    { name: "Webhooks", icon: "webhooks", href: "/operator/webhooks" },
    { name: "Audit log", icon: "audit", href: "/operator/audit" },
    { name: "Status", icon: "status", href: "/operator/status" },
  ],
};

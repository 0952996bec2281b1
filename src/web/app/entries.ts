/** The entries of the navigation in their groups, and who sees them. */

import type { Membership } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { type frame, frameTexts } from "../language/en/frame.ts";
import type { IconName } from "../ui/icon.tsx";

/** `isOutside`: a page that is loaded by itself, because it has other rights or is not one of the dashboard. */
export type Entry = { name: string; href: string; icon: IconName; isOutside?: true };
/** `id`: the same in every language. The first group has no name. */
export type EntryGroup = { id: string; name: string | null; entries: Entry[] };

/** `current`: null for a user without an organization. */
export function entryGroups(current: Membership | null, isOperator: boolean): EntryGroup[] {
  return [...(current ? organizationGroups(current) : []), ...(isOperator ? [serverGroup()] : [])];
}

function organizationGroups({ id, role, plan }: Membership): EntryGroup[] {
  const t = frameTexts();
  const page = (name: PageName, icon: IconName, path: string = icon): Entry => ({
    name: t(name),
    icon,
    href: hrefOf(id, path),
  });
  const isAdmin = role !== "member";
  return [
    { id: "overview", name: null, entries: [page("overview", "overview")] },
    {
      id: "build",
      name: t("build"),
      entries: [
        page("playground", "playground"),
        page("connect", "connect"),
        page("keys", "keys"),
        { name: t("documentation"), icon: "docs", href: "/docs", isOutside: true },
      ],
    },
    {
      id: "observe",
      name: t("observe"),
      entries: [
        page("usage", "usage"),
        page("requests", "requests"),
        page("jobs", "jobs"),
        page("limits", "limits"),
      ],
    },
    {
      id: "organization",
      name: t("organization"),
      entries: [
        page("projects", "projects"),
        page("members", "members"),
        page("voices", "microphone", "voices"),
        page("pronunciations", "pronunciations"),
        // unmetered organizations have no bills
        ...(isAdmin && plan === "prepaid" ? [page("billing", "billing")] : []),
        ...(role === "owner" ? [page("automation", "code", "automation")] : []),
        ...(isAdmin ? [page("webhooks", "webhooks"), page("audit", "audit")] : []),
        page("settings", "settings"),
      ],
    },
  ];
}

/** Those of an organization, by the ids of their names. */
type PageName = keyof typeof frame;

function serverGroup(): EntryGroup {
  const t = frameTexts();
  const page = (name: PageName, icon: IconName, path: string = icon): Entry => ({
    name: t(name),
    icon,
    href: `/operator/${path}`,
  });
  return {
    id: "server",
    name: t("server"),
    entries: [
      page("models", "models"),
      page("upstreams", "upstreams"),
      page("conversations", "conversations"),
      page("aliases", "aliases"),
      page("organizations", "organizations"),
      page("users", "members", "users"),
      page("webhooks", "webhooks"),
      page("audit", "audit"),
      page("status", "status"),
    ],
  };
}

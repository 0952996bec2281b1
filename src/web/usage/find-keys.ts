/** Keys of an organization by words, as the server finds them. */
import { useRead } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useSettled } from "../browser/settled.ts";

export type Key = Reply<"GET /api/organizations/:organization/keys">["data"][number];

const FOUND_MAX = 10;

/** Those that were used last come first; nothing without an organization. */
export function useFoundKeys(organization: string | null, text: string): Key[] {
  const search = useSettled(text.trim().slice(0, 200));
  const { data } = useRead(
    "GET /api/organizations/:organization/keys",
    {
      ids: { organization: organization ?? "" },
      query: { limit: FOUND_MAX, order: "last_used", ...(search === "" ? {} : { search }) },
    },
    { enabled: organization !== null, keep: true },
  );
  return data?.data ?? [];
}

/** How a key is shown where one is chosen. */
export const keyName = ({ name, last4, status }: Key): string =>
  `${name} …${last4}${status === "active" ? "" : ` (${status})`}`;

/** Where mails are to be sent, says that this server sends none. */
import { useRead } from "../api/queries.ts";
import { Notice } from "./page.tsx";

export function NoMailNotice() {
  const { data } = useRead("GET /api/installation", {});
  if (data?.mail !== "folder") return null;
  return (
    <Notice tone="warn">
      <p>This server sends no e-mail. Its operator finds what would be sent in a folder.</p>
    </Notice>
  );
}

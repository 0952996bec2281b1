/** Where mails are to be sent, says that this server sends none. */

import { useRead } from "../api/queries.ts";
import { controlsTexts } from "../language/en/controls.ts";
import { Notice } from "./page.tsx";

export function NoMailNotice() {
  const { data } = useRead("GET /api/installation", {});
  if (data?.mail !== "folder") return null;
  return (
    <Notice tone="warn">
      <p>{controlsTexts()("noMail")}</p>
    </Notice>
  );
}

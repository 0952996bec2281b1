/** Pages of whoever runs this server; everybody else is told so. */
import type { ReactNode } from "react";
import { useSession } from "../lib/session.ts";
import { Page } from "../ui/page.tsx";

export function OperatorsOnly({ title, children }: { title: string; children: ReactNode }) {
  const { operator } = useSession().user;
  return (
    <Page title={title}>
      {operator ? children : <p>This page is not for you: it is for whoever runs this server.</p>}
    </Page>
  );
}

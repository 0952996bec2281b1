/** Pages of whoever runs this server; everybody else is told so. */
import type { ReactNode } from "react";
import { Page } from "../parts/page.tsx";
import { useSession } from "../shell/session.tsx";

export function OperatorsOnly({ title, children }: { title: string; children: ReactNode }) {
  const { operator } = useSession().user;
  return (
    <Page title={title}>
      {operator ? children : <p>This page is not for you: it is for whoever runs this server.</p>}
    </Page>
  );
}

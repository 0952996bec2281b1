/** Restricts a page to operators of the server. */
import type { ReactNode } from "react";
import { useSession } from "../api/session.ts";
import { Page } from "../ui/page.tsx";

export function OperatorsOnly({ title, children }: { title: string; children: ReactNode }) {
  const { operator } = useSession().user;
  return <Page title={title}>{operator ? children : <p>Operator access required.</p>}</Page>;
}

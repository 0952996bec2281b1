/** Guards of pages: a session, and membership for the pages of an organization. */
import type { ReactNode } from "react";
import { Redirect, useLocation, useSearch } from "wouter";
import { SESSION, useRead } from "../api/queries.ts";
import { keepCsrfToken } from "../api/server.ts";
import { OrganizationContext, SessionContext, useSession } from "../api/session.ts";
import { Failure, Loading } from "../ui/query-boundary.tsx";

/** Redirects to the sign-in page, which returns to the current address. */
export function RequireSession({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  const search = useSearch();
  const session = useRead(SESSION, {});
  if (session.error?.code === "not_signed_in") {
    const current = search ? `${path}?${search}` : path;
    return <Redirect to={`/sign-in?next=${encodeURIComponent(current)}`} replace />;
  }
  // a session that was read stays, while the server does not answer
  if (!session.data && session.error)
    return <Failure error={session.error} retry={() => void session.refetch()} />;
  if (!session.data) return <Loading />;
  keepCsrfToken(session.data.csrf_token);
  return <SessionContext value={session.data}>{children}</SessionContext>;
}

/** Redirects users who are not members, exactly as for an organization that does not exist. */
export function RequireMembership({ id, children }: { id: string; children: ReactNode }) {
  const membership = useSession().organizations.find((each) => each.id === id);
  if (!membership) return <Redirect to="/" replace />;
  return <OrganizationContext value={membership}>{children}</OrganizationContext>;
}

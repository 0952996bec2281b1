/** Maps addresses to pages, for those who may see them, and says where the server is away. */

import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { Redirect, Route, Switch, useLocation, useSearch } from "wouter";
import { refreshAll, SESSION, useRead } from "../api/queries.ts";
import { keepCsrfToken } from "../api/server.ts";
import { OrganizationContext, SessionContext, useOrganization, useSession } from "../api/session.ts";
import { nextOf } from "../auth/next.ts";
import { takePage } from "../browser/kept-page.ts";
import { startOf } from "../browser/navigation.ts";
import { site } from "../browser/site.ts";
import { useConnection } from "../browser/use-connection.ts";
import { clockTime } from "../format/times.ts";
import { controlsTexts } from "../language/en/controls.ts";
import { frameTexts } from "../language/en/frame.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { type Code, CodeContent } from "../ui/code.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { Page } from "../ui/page.tsx";
import { Failure, Loading } from "../ui/query-boundary.tsx";
import { bold } from "../ui/rich.tsx";
import { Confirmation } from "./confirmation.tsx";
import { FactorNeeded } from "./factor-needed.tsx";
import { Layout } from "./layout.tsx";
import {
  ACCOUNT_PAGE,
  fetchPagesWhenIdle,
  OPERATOR_PAGES,
  ORGANIZATION_PAGES,
  PUBLIC_ROUTES,
  TENANT_PAGE,
  TRANSLATED_PAGES,
} from "./pages.ts";

export function App() {
  return (
    <PublicBoundary>
      <Switch>
        {Object.entries(PUBLIC_ROUTES).map(([path, code]) => (
          <Route key={path} path={path}>
            <CodeContent key={path} of={code} props={{}} />
          </Route>
        ))}
        <Route>
          <RequireSession>
            <PrivateRoutes />
          </RequireSession>
        </Route>
      </Switch>
    </PublicBoundary>
  );
}

/** Around whole pages: pages in the layout have a boundary inside it, so that its navigation stays. */
function PublicBoundary({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  return (
    <>
      <ErrorBoundary place={location}>
        <Suspense fallback={<Loading />}>{children}</Suspense>
      </ErrorBoundary>
      <ConnectionNotice />
    </>
  );
}

function PrivateRoutes() {
  const { user, two_factor: factor } = useSession();
  const { operator } = user;
  useEffect(() => fetchPagesWhenIdle({ isOperator: operator }), [operator]);
  return (
    <Switch>
      <Route path="/" component={Home} />
      <Route path="/orgs/:id/:page">
        {({ id, page }) => (
          <RequireMembership id={id}>
            <OrganizationPage name={page} />
          </RequireMembership>
        )}
      </Route>
      {factor.required && !factor.satisfied && <Route path="/operator/*?" component={FactorNeeded} />}
      <Route path="/operator/organizations/:id">
        {({ id }) => <PageInLayout name={id} of={TENANT_PAGE} />}
      </Route>
      <Route path="/operator/:page">
        {({ page }) => <PageInLayout name={page} of={OPERATOR_PAGES[page]} />}
      </Route>
      <Route path="/account">
        <PageInLayout name="account" of={ACCOUNT_PAGE} />
      </Route>
      <Route>
        <PageInLayout name="" of={undefined} />
      </Route>
    </Switch>
  );
}

/** Redirects to the page that was asked for before a sign-in elsewhere, or to the first organization; users without one create it on the account page. */
function Home() {
  const [first] = useSession().organizations;
  const [kept] = useState(takePage);
  useEffect(() => {
    if (kept !== null) location.replace(nextOf(kept, location.origin, site.base));
  }, [kept]);
  if (kept !== null) return <Loading />;
  return <Redirect to={first ? startOf(first.id, first.role) : "/account"} replace />;
}

function OrganizationPage({ name }: { name: string }) {
  const organization = useOrganization();
  return (
    <Layout organization={organization} isTranslated={TRANSLATED_PAGES.has(name)}>
      <PageOrNotFound key={`${organization.id} ${name}`} of={ORGANIZATION_PAGES[name]} />
    </Layout>
  );
}

type PageProps = { of: Code | undefined };

function PageInLayout({ name, of: code }: PageProps & { name: string }) {
  return (
    <Layout organization={null}>
      <PageOrNotFound key={name} of={code} />
    </Layout>
  );
}

const PageOrNotFound = ({ of: code }: PageProps) =>
  code ? <CodeContent of={code} props={{}} /> : <NotFound />;

function NotFound() {
  return (
    <Page title={frameTexts()("notFound")}>
      <p>
        <LinkButton href="/">{frameTexts()("toOverview")}</LinkButton>
      </p>
    </Page>
  );
}

/** Says that the server does not answer, and since when, or that it was updated. */
function ConnectionNotice() {
  const { lostAt, isUpdated } = useConnection();
  const t = controlsTexts();
  useStaleMark(lostAt !== null);
  return (
    <section aria-label={t("connection")} className="connection" aria-live="polite">
      {lostAt !== null && <p>{t.rich("reconnecting", { time: clockTime(lostAt / 1000), b: bold })}</p>}
      {lostAt === null && isUpdated && (
        <p>
          {t.rich("updated", { b: bold })}
          <Button onClick={() => location.reload()}>{t("reload")}</Button>
        </p>
      )}
    </section>
  );
}

/** Numbers are drawn without colour while they are old; once the server answers, everything is read again. */
function useStaleMark(isStale: boolean): void {
  const wasStale = useRef(false);
  useEffect(() => {
    document.documentElement.toggleAttribute("data-stale", isStale);
    if (wasStale.current && !isStale) void refreshAll();
    wasStale.current = isStale;
  }, [isStale]);
}

/** Redirects to the sign-in page, which returns to the current address. */
function RequireSession({ children }: { children: ReactNode }) {
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
  return (
    <SessionContext value={session.data}>
      {children}
      <Confirmation />
    </SessionContext>
  );
}

/** Redirects users who are not members, exactly as for an organization that does not exist. */
function RequireMembership({ id, children }: { id: string; children: ReactNode }) {
  const session = useSession();
  const membership = session.organizations.find((each) => each.id === id);
  if (!membership) return <Redirect to="/" replace />;
  const { two_factor: factor } = session;
  if ((membership.require_two_factor || factor.required) && !factor.satisfied) return <FactorNeeded />;
  return <OrganizationContext value={membership}>{children}</OrganizationContext>;
}

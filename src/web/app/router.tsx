/** Maps addresses to pages. */
import { type ReactNode, Suspense, useEffect } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { useOrganization, useSession } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { LinkButton } from "../ui/button.tsx";
import { type Code, CodeContent } from "../ui/code.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { Page } from "../ui/page.tsx";
import { Loading } from "../ui/query-boundary.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { RequireMembership, RequireSession } from "./guards.tsx";
import { Layout } from "./layout.tsx";
import {
  ACCOUNT_PAGE,
  fetchPagesWhenIdle,
  OPERATOR_PAGES,
  ORGANIZATION_PAGES,
  PUBLIC_ROUTES,
  TENANT_PAGE,
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
  const { operator } = useSession().user;
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

/** Redirects to the first organization; users without one create it on the account page. */
function Home() {
  const [first] = useSession().organizations;
  return <Redirect to={first ? hrefOf(first.id, "overview") : "/account"} replace />;
}

function OrganizationPage({ name }: { name: string }) {
  const organization = useOrganization();
  return (
    <Layout organization={organization}>
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
    <Page title="Page not found">
      <p>
        <LinkButton href="/">Go to the overview</LinkButton>
      </p>
    </Page>
  );
}

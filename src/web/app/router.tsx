/** Maps addresses to pages. Each page is a chunk of its own, fetched on the first visit. */
import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { hrefOf } from "../lib/navigation.ts";
import { useOrganization, useSession } from "../lib/session.ts";
import { LinkButton } from "../ui/button.tsx";
import { ErrorBoundary, PageLoadError } from "../ui/error-boundary.tsx";
import { Page } from "../ui/page.tsx";
import { Loading } from "../ui/query-boundary.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { RequireMembership, RequireSession } from "./guards.tsx";
import { Layout } from "./layout.tsx";

const page = (load: () => Promise<ComponentType>) =>
  lazy(async () => {
    const Content = await load().catch((cause: unknown) => {
      throw new PageLoadError("The code of this page could not be fetched.", { cause });
    });
    return { default: Content };
  });

const PUBLIC_ROUTES: Record<string, ComponentType> = {
  "/sign-in": page(async () => (await import("../auth/sign-in.tsx")).SignIn),
  "/sign-up": page(async () => (await import("../auth/sign-up.tsx")).SignUp),
  "/verify": page(async () => (await import("../auth/verify.tsx")).Verify),
  "/forgot": page(async () => (await import("../auth/forgot.tsx")).Forgot),
  "/reset": page(async () => (await import("../auth/reset.tsx")).Reset),
  "/invitation": page(async () => (await import("../auth/invitation.tsx")).InvitationPage),
  "/setup/:step?": page(async () => (await import("../setup/set-up.tsx")).SetUp),
  "/playground": page(async () => (await import("../playground/playground.tsx")).PublicPlayground),
};

const ORGANIZATION_PAGES: Record<string, ComponentType> = {
  overview: page(async () => (await import("../overview/overview.tsx")).Overview),
  playground: page(async () => (await import("../playground/playground.tsx")).Playground),
  connect: page(async () => (await import("../connect/connect.tsx")).Connect),
  usage: page(async () => (await import("../usage/usage.tsx")).Usage),
  requests: page(async () => (await import("../requests/requests.tsx")).Requests),
  limits: page(async () => (await import("../limits/limits.tsx")).Limits),
  keys: page(async () => (await import("../keys/keys.tsx")).Keys),
  projects: page(async () => (await import("../organization/projects.tsx")).Projects),
  members: page(async () => (await import("../organization/members.tsx")).Members),
  billing: page(async () => (await import("../billing/billing.tsx")).Billing),
  settings: page(async () => (await import("../organization/settings.tsx")).Settings),
};

const OPERATOR_PAGES: Record<string, ComponentType> = {
  organizations: page(async () => (await import("../operator/tenants/organizations.tsx")).Organizations),
  models: page(async () => (await import("../operator/models.tsx")).Models),
  names: page(async () => (await import("../operator/alias-list.tsx")).AliasList),
  status: page(async () => (await import("../operator/status.tsx")).Status),
};

const TenantPage = page(async () => (await import("../operator/tenants/tenant.tsx")).TenantPage);
const Account = page(async () => (await import("../account/account.tsx")).Account);

export function App() {
  return (
    <PublicBoundary>
      <Switch>
        {Object.entries(PUBLIC_ROUTES).map(([path, PublicPage]) => (
          <Route key={path} path={path} component={PublicPage} />
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
        {({ id }) => <PageInLayout key={id} of={TenantPage} />}
      </Route>
      <Route path="/operator/:page">{({ page }) => <PageInLayout of={OPERATOR_PAGES[page]} />}</Route>
      <Route path="/account">
        <PageInLayout of={Account} />
      </Route>
      <Route>
        <PageInLayout of={undefined} />
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
  const Content = ORGANIZATION_PAGES[name] ?? NotFound;
  return (
    <Layout organization={organization}>
      <Content key={organization.id} />
    </Layout>
  );
}

function PageInLayout({ of: Content = NotFound }: { of: ComponentType | undefined }) {
  return (
    <Layout organization={null}>
      <Content />
    </Layout>
  );
}

function NotFound() {
  return (
    <Page title="Page not found">
      <LinkButton href="/">Go to the overview</LinkButton>
    </Page>
  );
}

/** Which address shows which page. Pages are fetched when they are first visited. */
import { type ComponentType, lazy, Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";
import { hrefOf } from "../lib/navigation.ts";
import { InOrganization, SignedIn, useOrganization, useSession } from "../lib/session.tsx";
import { LinkButton } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { Frame } from "./layout.tsx";

const later = (load: () => Promise<ComponentType>) => lazy(async () => ({ default: await load() }));

const DOORS: Record<string, ComponentType> = {
  "/sign-in": later(async () => (await import("../auth/sign-in.tsx")).SignIn),
  "/sign-up": later(async () => (await import("../auth/sign-up.tsx")).SignUp),
  "/verify": later(async () => (await import("../auth/verify.tsx")).Verify),
  "/forgot": later(async () => (await import("../auth/forgot.tsx")).Forgot),
  "/reset": later(async () => (await import("../auth/reset.tsx")).Reset),
  "/invitation": later(async () => (await import("../auth/invitation.tsx")).Invitation),
};

const ORGANIZATION: Record<string, ComponentType> = {
  overview: later(async () => (await import("../organization/overview.tsx")).Overview),
  usage: later(async () => (await import("../usage/usage.tsx")).Usage),
  requests: later(async () => (await import("../usage/requests.tsx")).Requests),
  limits: later(async () => (await import("../usage/limits.tsx")).Limits),
  keys: later(async () => (await import("../keys/keys.tsx")).Keys),
  projects: later(async () => (await import("../organization/projects.tsx")).Projects),
  members: later(async () => (await import("../organization/members.tsx")).Members),
  billing: later(async () => (await import("../billing/billing.tsx")).Billing),
  settings: later(async () => (await import("../organization/settings.tsx")).Settings),
};

const OPERATOR: Record<string, ComponentType> = {
  organizations: later(async () => (await import("../operator/organizations.tsx")).Organizations),
  models: later(async () => (await import("../operator/models.tsx")).Models),
  status: later(async () => (await import("../operator/status.tsx")).Status),
};

const Account = later(async () => (await import("../account/account.tsx")).Account);

const waiting = (
  <p className="loading" role="status">
    Loading …
  </p>
);

export function App() {
  return (
    <Suspense fallback={waiting}>
      <Switch>
        {Object.entries(DOORS).map(([path, Door]) => (
          <Route key={path} path={path} component={Door} />
        ))}
        <Route>
          <SignedIn>
            <Inside />
          </SignedIn>
        </Route>
      </Switch>
    </Suspense>
  );
}

function Inside() {
  return (
    <Switch>
      <Route path="/" component={Home} />
      <Route path="/orgs/:id/:page">
        {({ id, page }) => (
          <InOrganization id={id}>
            <OrganizationPage page={page} />
          </InOrganization>
        )}
      </Route>
      <Route path="/operator/:page">{({ page }) => <Framed page={OPERATOR[page]} />}</Route>
      <Route path="/account">
        <Framed page={Account} />
      </Route>
      <Route>
        <Framed page={undefined} />
      </Route>
    </Switch>
  );
}

/** To the first organization; who has none is asked to make one. */
function Home() {
  const [first] = useSession().organizations;
  return <Redirect to={first ? hrefOf(first.id, "overview") : "/account"} replace />;
}

function OrganizationPage({ page }: { page: string }) {
  const here = useOrganization();
  const Shown = ORGANIZATION[page] ?? Nothing;
  return (
    <Frame at={here}>
      <Suspense fallback={waiting}>
        <Shown key={here.id} />
      </Suspense>
    </Frame>
  );
}

function Framed({ page: Shown = Nothing }: { page: ComponentType | undefined }) {
  return (
    <Frame at={null}>
      <Suspense fallback={waiting}>
        <Shown />
      </Suspense>
    </Frame>
  );
}

function Nothing() {
  return (
    <Page title="There is nothing here">
      <LinkButton href="/">To the overview</LinkButton>
    </Page>
  );
}

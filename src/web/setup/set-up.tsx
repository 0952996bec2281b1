/**
 * Sets a new server up, from the link that it prints when it starts:
 *
 *   /setup#token=… (account) ──> /setup/purpose ──> /setup/voices ──> /setup/done (a first sentence, an application)
 */

import type { ReactNode } from "react";
import { Link, Redirect, useLocation } from "wouter";
import { SESSION, useRead } from "../api/queries.ts";
import { keepCsrfToken } from "../api/server.ts";
import type { Membership, Session } from "../api/session.ts";
import { AuthLayout } from "../auth/auth-layout.tsx";
import { hrefOf } from "../browser/navigation.ts";
import { controlsTexts } from "../language/en/controls.ts";
import { setUpTexts } from "../language/en/set-up.ts";
import { Downloads } from "../operator/packages/downloads.tsx";
import { isFailed } from "../operator/packages/package.ts";
import { PackageOffer } from "../operator/packages/package-offer.tsx";
import { usePackages } from "../operator/packages/use-packages.ts";
import { useServerVoice } from "../samples/server-voice.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { Notice } from "../ui/page.tsx";
import { Failure, Loading } from "../ui/query-boundary.tsx";
import { linkTo } from "../ui/rich.tsx";
import { StatusLine } from "../ui/status-line.tsx";
import { AccountStep } from "./account-step.tsx";
import { PurposeStep } from "./purpose-step.tsx";
import type { StepProps } from "./step-props.ts";
import { VoiceSamples } from "./voice-samples.tsx";

type StepName = "purpose" | "voices" | "done";
type Step = { path: StepName; content: (props: StepProps) => ReactNode };

const STEPS: Step[] = [
  { path: "purpose", content: PurposeStep },
  { path: "voices", content: VoicesStep },
  { path: "done", content: DoneStep },
];

export function SetUp() {
  const [location] = useLocation();
  const session = useRead(SESSION, {});
  const step = STEPS.find(({ path }) => location === `/setup/${path}`);
  if (!step) return <FirstPage isSignedIn={session.data !== undefined} />;
  if (session.error?.code === "not_signed_in") return <Redirect to="/setup" replace />;
  if (session.error) return <Failure error={session.error} retry={() => void session.refetch()} />;
  if (!session.data) return <Loading />;
  keepCsrfToken(session.data.csrf_token);
  const organization = ownOf(session.data);
  if (!organization) return <Redirect to="/" replace />;
  const Content = step.content;
  return (
    <AuthLayout title={setUpTexts()(`${step.path}Title`)}>
      <Progress current={step.path} />
      <Content organization={organization} />
    </AuthLayout>
  );
}

/** Only operators set the server up. */
const ownOf = ({ user, organizations }: Session): Membership | undefined =>
  user.operator ? organizations[0] : undefined;

function FirstPage({ isSignedIn }: { isSignedIn: boolean }) {
  const t = setUpTexts();
  const installation = useRead("GET /api/installation", {});
  if (installation.error)
    return <Failure error={installation.error} retry={() => void installation.refetch()} />;
  if (!installation.data) return <Loading />;
  if (isSignedIn) return <Redirect to="/setup/purpose" replace />;
  if (!installation.data.fresh)
    return (
      <AuthLayout title={t("isSetUp")}>
        <p>{t.rich("hasOperator", { link: linkTo("/sign-in") })}</p>
      </AuthLayout>
    );
  return <AccountStep />;
}

function Progress({ current }: { current: string }) {
  const t = setUpTexts();
  const at = STEPS.findIndex(({ path }) => path === current);
  return (
    <ol className="set-up-progress" aria-label={t("steps")}>
      <li className="done">{t("account")}</li>
      {STEPS.map(({ path }, index) => (
        <li key={path} className={index < at ? "done" : ""} aria-current={index === at ? "step" : undefined}>
          {index < at ? <Link href={`/setup/${path}`}>{t(path)}</Link> : t(path)}
        </li>
      ))}
    </ol>
  );
}

const SENTENCE = "Good morning. This is your own speech server, and I am one of its voices.";

/** The first sentence, spoken with a test key, and where to go next. */
function DoneStep({ organization: { id } }: StepProps) {
  const t = setUpTexts();
  const { say, message, isBusy } = useServerVoice(id);
  return (
    <>
      <Missing />
      <blockquote className="sentence" lang="en" dir="ltr">
        {SENTENCE}
      </blockquote>
      <div className="actions">
        <Button kind="primary" busy={isBusy} onClick={() => say(SENTENCE)}>
          {t("play")}
        </Button>
        <LinkButton href={hrefOf(id, "connect")}>{t("connect")}</LinkButton>
        <LinkButton kind="quiet" href={hrefOf(id, "overview")}>
          {t("openDashboard")}
        </LinkButton>
      </div>
      <StatusLine id="first-sentence" message={message} />
    </>
  );
}

/** What was asked for in the step before and could not be downloaded. */
function Missing() {
  const failed = usePackages().data?.data.filter(isFailed) ?? [];
  if (failed.length === 0) return null;
  return (
    <Notice tone="warn">
      <p>
        {setUpTexts().rich("missing", {
          count: failed.length,
          packages: failed.map(({ title }) => title).join(", "),
          link: linkTo("/operator/models"),
        })}
      </p>
    </Notice>
  );
}

/** Voices to listen to, and packages that suit this machine, with their sizes and licences; downloads go on while the set-up continues. */
function VoicesStep({ organization }: StepProps) {
  const t = setUpTexts();
  const hasFailed = usePackages().data?.data.some(isFailed) ?? false;
  return (
    <>
      <p>{t("voicesText")}</p>
      <VoiceSamples organization={organization.id} />
      <Downloads />
      <PackageOffer isBeside />
      <div className="actions">
        <LinkButton kind="primary" href="/setup/done">
          {t(hasFailed ? "continueBuiltIn" : "continue")}
        </LinkButton>
        <LinkButton kind="quiet" href="/setup/purpose">
          {controlsTexts()("previous")}
        </LinkButton>
      </div>
    </>
  );
}

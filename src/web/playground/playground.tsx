/**
 * The playground: speaks, transcribes files and the microphone, and talks with a language model, inside the dashboard with
 * a test key, and outside it with a pasted one.
 */

import { type ReactNode, useEffect } from "react";
import { Redirect, useSearchParams } from "wouter";
import { SESSION, useRead } from "../api/queries.ts";
import { searchOf } from "../api/server.ts";
import { useSession } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { useTitle } from "../browser/title.ts";
import { frameTexts } from "../language/en/frame.ts";
import { speakTexts } from "../language/en/speak.ts";
import { PackageOffer } from "../operator/packages/package-offer.tsx";
import { Mark } from "../ui/icon.tsx";
import { Loading } from "../ui/query-boundary.tsx";
import { Tabs } from "../ui/tabs.tsx";
import type { Access } from "./access/catalogue.ts";
import { takeKeyFromAddress } from "./access/key-address.ts";
import { KeyForm, usePastedKey } from "./access/pasted-key.tsx";
import { ProjectChoice, useTestKey } from "./access/test-key.tsx";
import { LivePanel } from "./live/live-panel.tsx";
import { NarrationPanel } from "./narration/narration-panel.tsx";
import { SpeakPanel } from "./speak/speak-panel.tsx";
import { TalkPanel } from "./talk/talk-panel.tsx";
import { TranscribePanel } from "./transcribe/transcribe-panel.tsx";

/** The page of an organization. */
export function Playground() {
  useTitle(frameTexts()("playground"));
  const { access, projects } = useTestKey();
  const { user } = useSession();
  return (
    <div className="playground wide">
      <header className="page">
        <h1>{frameTexts()("playground")}</h1>
        <div className="actions">
          <ProjectChoice {...projects} />
        </div>
      </header>
      <Panels access={access} />
      {user.operator && <PackageOffer />}
    </div>
  );
}

/**
 * The public page; those who are signed in are sent to the page of their organization. The address may name the tab, a
 * project, a model, a voice and a conversation.
 */
export function PublicPlayground() {
  useTitle(frameTexts()("playground"));
  useEffect(takeKeyFromAddress, []); // also where no key is needed
  const session = useRead(SESSION, {});
  const [search] = useSearchParams();
  if (!session.isFetched) return <Loading />; // only once: reading it again must not take the page away
  const organizations = session.data?.organizations ?? [];
  const organization = organizations.find(({ id }) => id === search.get("organization")) ?? organizations[0];
  if (!organization) return <WithPastedKey />;
  const { organization: _, ...rest } = Object.fromEntries(search);
  return <Redirect to={hrefOf(organization.id, `playground${searchOf(rest)}`)} replace />;
}

function WithPastedKey() {
  const { access, keyForm } = usePastedKey();
  return (
    <main className="playground public">
      <header className="page">
        <h1>
          <Mark size={26} /> Loquat <span>{frameTexts()("playground")}</span>
        </h1>
        {access.isReady && <KeyForm {...keyForm} isReady />}
      </header>
      {!access.isReady && <KeyForm {...keyForm} isReady={false} />}
      <Panels access={access} />
    </main>
  );
}

const TABS = ["speak", "narration", "transcribe", "live", "talk"] as const;
type Tab = (typeof TABS)[number];

/** All stay on the page, so that nothing is lost by looking at another. */
function Panels({ access }: { access: Access }) {
  const [search, setSearch] = useSearchParams();
  const chosen = TABS.find((name) => name === search.get("tab")) ?? "speak";
  const choose = (name: Tab) => setSearch({ ...Object.fromEntries(search), tab: name }, { replace: true });
  const panel = (name: Tab, content: ReactNode) => (
    <div role="tabpanel" id={`panel-${name}`} aria-labelledby={`tab-${name}`} hidden={name !== chosen}>
      {content}
    </div>
  );
  return (
    <>
      <Tabs
        id="tab"
        label={frameTexts()("playground")}
        names={TABS}
        chosen={chosen}
        onChoose={choose}
        panelOf={(name) => `panel-${name}`}
      >
        {(name) => speakTexts()(name)}
      </Tabs>
      {panel("speak", <SpeakPanel access={access} isActive={chosen === "speak"} />)}
      {panel("narration", <NarrationPanel access={access} />)}
      {panel("transcribe", <TranscribePanel access={access} isActive={chosen === "transcribe"} />)}
      {panel("live", <LivePanel access={access} />)}
      {panel("talk", <TalkPanel access={access} />)}
    </>
  );
}

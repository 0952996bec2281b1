/** The playground: tries the API with a pasted key or, signed in, with a temporary test key. */
import { type ReactNode, useMemo } from "react";
import { SESSION, useRead } from "../lib/queries.ts";
import type { Session } from "../lib/session.ts";
import { useTitle } from "../lib/title.ts";
import "../style/playground.css";
import { openClient } from "../lib/public-api.ts";
import { PackageOffer } from "../operator/package-offer.tsx";
import { Loading } from "../ui/query-boundary.tsx";
import { FilePanel } from "./file-panel.tsx";
import { LivePanel } from "./live/live-panel.tsx";
import { usePastedKey } from "./pasted-key.tsx";
import { SpeechPanel } from "./speech-panel.tsx";
import { useTestKey } from "./test-key.tsx";

export function Playground() {
  useTitle("Playground");
  const session = useRead(SESSION, {});
  if (session.isPending) return <Loading />;
  if (session.data && session.data.organizations.length > 0) return <SignedIn session={session.data} />;
  return <SignedOut />;
}

const SignedIn = ({ session }: { session: Session }) => (
  <Panels {...useTestKey(session)} offer={session.user.operator && <PackageOffer />} />
);
const SignedOut = () => <Panels {...usePastedKey()} />;

type PanelsProps = { controls: ReactNode; offer?: ReactNode; apiKey: string; isReady: boolean };

function Panels({ controls, offer, apiKey, isReady }: PanelsProps) {
  const client = useMemo(() => openClient(apiKey), [apiKey]);
  return (
    <div className="playground">
      <header>
        <h1>
          Loquat <span>playground</span>
        </h1>
        {controls}
      </header>
      <main>
        {offer}
        <SpeechPanel client={client} apiKey={apiKey} isReady={isReady} />
        <FilePanel client={client} />
        <LivePanel client={client} />
      </main>
    </div>
  );
}

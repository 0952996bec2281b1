/** Catches what a page throws while it renders or loads, and says what to do instead of showing nothing. */
import { Component, type ReactNode, useEffect, useRef } from "react";
import { systemClock } from "../../clock.ts";
import { ping } from "../browser/connection.ts";
import { useConnection } from "../browser/use-connection.ts";
import { Button } from "./button.tsx";
import { Notice } from "./page.tsx";

/** The code of a page could not be fetched. */
export class PageLoadError extends Error {}

type BoundaryProps = {
  children: ReactNode;
  /** Another place is another try. */
  place?: string;
};
type BoundaryState = { error: Error | null; place: string | undefined };

export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: null, place: this.props.place };

  static getDerivedStateFromError(error: Error): Partial<BoundaryState> {
    return { error };
  }

  static getDerivedStateFromProps({ place }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return place === state.place ? null : { error: null, place };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return error instanceof PageLoadError ? <NotLoaded /> : <Crashed error={error} />;
  }
}

const RELOADED_KEY = "loquat-reloaded";
const RELOAD_ONCE_MS = 10_000;

/** A page that fails again right after it was reloaded is not reloaded again. */
function reloadOnce(): void {
  const now = systemClock.now();
  try {
    if (now - Number(sessionStorage.getItem(RELOADED_KEY)) < RELOAD_ONCE_MS) return;
    sessionStorage.setItem(RELOADED_KEY, String(now));
  } catch {
    return;
  }
  location.reload();
}

/** After an upgrade the address of the code is another one: the page is fetched anew as soon as the server answers. */
function NotLoaded() {
  const { lostAt } = useConnection();
  const wasLost = useRef(false);
  useEffect(() => void ping().then((answers) => answers && reloadOnce()), []);
  useEffect(() => {
    if (lostAt !== null) wasLost.current = true;
    else if (wasLost.current) location.reload();
  }, [lostAt]);
  // a reload without a server would leave the browser's own error page
  const retry = () => void ping().then((answers) => answers && location.reload());
  return (
    <Notice tone="bad">
      <p>
        <strong>This page could not be loaded.</strong>{" "}
        {lostAt === null
          ? "Loquat may have been updated. Reload to get the current version."
          : "The server cannot be reached. The page opens as soon as it answers."}
      </p>
      <div className="actions">
        <Button onClick={retry}>{lostAt === null ? "Reload" : "Try again"}</Button>
      </div>
    </Notice>
  );
}

function Crashed({ error }: { error: Error }) {
  return (
    <Notice tone="bad">
      <p>
        <strong>This page stopped because of an error in Loquat.</strong> Reload it. If that does not help,
        report this message:
      </p>
      <p>
        <code>{error.message}</code>
      </p>
      <div className="actions">
        <Button onClick={() => location.reload()}>Reload</Button>
      </div>
    </Notice>
  );
}

/**
 * Catches what a page, or a part of one, throws while it renders or loads, and says what to do instead of showing nothing.
 * Code that could not be fetched is fetched again once the server answers.
 */

import { Component, type ReactNode, useEffect, useRef } from "react";
import { systemClock } from "../../clock.ts";
import { connectionNow, ping } from "../browser/connection.ts";
import { useConnection } from "../browser/use-connection.ts";
import { controlsTexts } from "../language/en/controls.ts";
import { Button } from "./button.tsx";
import { Notice } from "./page.tsx";
import { bold } from "./rich.tsx";

/** Code could not be fetched. */
export class CodeError extends Error {
  /** Whether the server did not answer either: otherwise it has no such code, as after an upgrade. */
  readonly isAway = connectionNow().lostAt !== null;

  /** `fetchAgain` rejects with another `CodeError`. */
  constructor(
    readonly fetchAgain: () => Promise<unknown>,
    cause: unknown,
  ) {
    super("Code of this page could not be fetched.", { cause });
  }
}

type BoundaryProps = {
  children: ReactNode;
  /** Another place is another try. */
  place?: string;
  /** Around a part of a page: it leaves the rest of the page, and what was entered there, as it is. */
  isPart?: boolean;
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

  readonly #settle = (error: CodeError | null) => this.setState({ error });

  override render(): ReactNode {
    const { error } = this.state;
    const { children, isPart = false } = this.props;
    if (error === null) return children;
    if (error instanceof CodeError) return <NotLoaded {...{ error, isPart }} onSettled={this.#settle} />;
    return <Crashed {...{ error, isPart }} />;
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

/** A reload without a server would leave the browser's own error page. */
const onceAnswered = (reload: () => unknown) => void ping().then((answers) => answers && reload());

type NotLoadedProps = {
  error: CodeError;
  isPart: boolean;
  /** The code is there, or could not be fetched again. */
  onSettled: (error: CodeError | null) => void;
};

/**
 * Fetches the code again as soon as the server answers. After an upgrade the address of the code is another one: a page is
 * then reloaded, while a part leaves that to the user.
 */
function NotLoaded({ error, isPart, onSettled }: NotLoadedProps) {
  const { lostAt } = useConnection();
  const wasLost = useRef(false);
  useEffect(() => {
    let isCurrent = true;
    if (lostAt !== null) wasLost.current = true;
    else if (wasLost.current || error.isAway) {
      wasLost.current = false;
      const settle = (next: CodeError | null) => isCurrent && onSettled(next);
      error.fetchAgain().then(() => settle(null), settle);
    } else onceAnswered(() => isPart || reloadOnce());
    return () => {
      isCurrent = false;
    };
  }, [lostAt, error, isPart, onSettled]);
  const t = controlsTexts();
  const isLost = lostAt !== null || error.isAway;
  return (
    <Notice tone="bad">
      <p>
        <strong>{t(isPart ? "partNotLoaded" : "pageNotLoaded")}</strong>{" "}
        {isLost ? t(isPart ? "partAppears" : "pageOpens") : t("mayBeUpdated")}
      </p>
      <div className="actions">
        {isLost ? (
          <Button onClick={() => void ping()}>{t("tryAgain")}</Button>
        ) : (
          <Button onClick={() => onceAnswered(() => location.reload())}>{t("reload")}</Button>
        )}
      </div>
    </Notice>
  );
}

function Crashed({ error, isPart }: { error: Error; isPart: boolean }) {
  const t = controlsTexts();
  return (
    <Notice tone="bad">
      <p>{t.rich(isPart ? "partStopped" : "pageStopped", { b: bold })}</p>
      <p>
        <code>{error.message}</code>
      </p>
      <div className="actions">
        <Button onClick={() => location.reload()}>{t("reload")}</Button>
      </div>
    </Notice>
  );
}

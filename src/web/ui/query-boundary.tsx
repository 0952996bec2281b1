/** Renders a query's result; until there is one, its loading state or its error. */

import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ServerError } from "../api/server.ts";
import { controlsTexts } from "../language/en/controls.ts";
import { Button } from "./button.tsx";
import { Notice } from "./page.tsx";

type QueryBoundaryProps<T> = {
  of: UseQueryResult<T, ServerError>;
  children: (data: T) => ReactNode;
};

export function QueryBoundary<T>({ of: query, children }: QueryBoundaryProps<T>) {
  if (query.data !== undefined)
    return (
      <>
        {isOutdated(query.error) && <Failure error={query.error} retry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
}

/** Whether the data is older than an error. A server that does not answer is announced for the whole page. */
const isOutdated = (error: ServerError | null): error is ServerError => error !== null && error.status !== 0;

/** The outline of what is being loaded. */
export function Loading() {
  return (
    <div className="loading" role="status">
      <span className="unseen">{controlsTexts()("loading")}</span>
      <i />
      <i />
      <i />
    </div>
  );
}

/** An error's message with its request id, which an operator can look up in the log. */
export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  const requestId = error instanceof ServerError ? error.requestId : null;
  return (
    <Notice tone="bad">
      <p>{error.message}</p>
      {requestId && (
        <p>
          <code>{requestId}</code>
        </p>
      )}
      {retry && (
        <div className="actions">
          <Button onClick={retry}>{controlsTexts()("tryAgain")}</Button>
        </div>
      )}
    </Notice>
  );
}

/** Renders a query's result; until there is one, its loading state or its error. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ServerError } from "../lib/server.ts";
import { Button } from "./button.tsx";
import { Notice } from "./page.tsx";

type QueryBoundaryProps<T> = {
  of: UseQueryResult<T, ServerError>;
  children: (data: T) => ReactNode;
};

export function QueryBoundary<T>({ of: query, children }: QueryBoundaryProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
}

export function Loading() {
  return (
    <p className="loading" role="status">
      Loading …
    </p>
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
      {retry && <Button onClick={retry}>Try again</Button>}
    </Notice>
  );
}

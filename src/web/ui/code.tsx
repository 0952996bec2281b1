/**
 * Code that is fetched later than the page's first: of a whole page, and of a part of one, such as a chart. Everything that
 * is imported later goes through here, so that code that cannot be fetched leaves a notice in its place and comes once the
 * server answers (see error-boundary.tsx).
 */
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";
import { ping } from "../browser/connection.ts";
import { CodeError, ErrorBoundary } from "./error-boundary.tsx";

export type Code<Props extends object = object> = {
  /** Fetches the code when it is rendered. */
  Lazy: ComponentType<Props>;
  /** Null until the code is there. */
  loaded: () => ComponentType<Props> | null;
  /** Throws a `CodeError`; the next call tries again. */
  fetchCode: () => Promise<ComponentType<Props>>;
};

export function fetchedLater<Props extends object>(load: () => Promise<ComponentType<Props>>): Code<Props> {
  let fetched: Promise<ComponentType<Props>> | null = null;
  let loaded: ComponentType<Props> | null = null;
  /** A server that answers is asked again at once: it may have been started again in between. */
  const loadOrAgain = () => load().catch(async (cause) => ((await ping()) ? load() : Promise.reject(cause)));
  const fetchCode = () => {
    fetched ??= loadOrAgain().then(
      (content) => {
        loaded = content;
        return content;
      },
      (cause: unknown) => {
        fetched = null;
        throw new CodeError(fetchCode, cause);
      },
    );
    return fetched;
  };
  return {
    Lazy: lazy(async () => ({ default: await fetchCode() })),
    loaded: () => loaded,
    fetchCode,
  };
}

/**
 * Code that is there is rendered as it is: by `Lazy`, React would show the fallback first, for 300 ms or longer, or the
 * failure of a fetch that has succeeded since. Needs a key where `of` changes, for it keeps its choice.
 */
export function CodeContent<Props extends object>({
  of: { loaded, Lazy },
  props,
}: {
  of: Code<Props>;
  props: Props;
}) {
  const [Content] = useState<ComponentType<Props>>(() => loaded() ?? Lazy);
  return <Content {...props} />;
}

/**
 * A part of a page, fetched when it is first rendered: until then `fallback` is in its place, and where it cannot be fetched
 * a notice, while the rest of the page stays.
 */
export function part<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback?: ReactNode,
): ComponentType<Props> {
  const code = fetchedLater(load);
  return (props) => (
    <ErrorBoundary isPart>
      <Suspense fallback={fallback}>
        <CodeContent of={code} props={props} />
      </Suspense>
    </ErrorBoundary>
  );
}

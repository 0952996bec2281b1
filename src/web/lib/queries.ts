/** What the server said is kept, asked again when it may have changed, and dropped when somebody signs out. */
import {
  keepPreviousData,
  QueryCache,
  QueryClient,
  type UseQueryResult,
  useMutation,
  useQuery,
} from "@tanstack/react-query";
import { auth, call, type Given, type Reply, type RouteName, ServerError } from "./server.ts";

const isRefusal = (error: unknown): boolean =>
  error instanceof ServerError && error.status >= 400 && error.status < 500;

export const answers: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // a session that ended elsewhere: whoever asks who is signed in finds out
    onError: (error, { queryKey }) => {
      if (error instanceof ServerError && error.code === "not_signed_in" && queryKey[0] !== SESSION)
        void answers.invalidateQueries({ queryKey: [SESSION] });
    },
  }),
  defaultOptions: {
    queries: { staleTime: 2000, retry: (failures, error) => !isRefusal(error) && failures < 2 },
  },
});

export const SESSION = "GET /api/session" satisfies RouteName;

type ReadOptions<Answer> = {
  /** Ask again so often while the page is seen; 0 for no more. */
  everyMs?: number | ((last: Answer | undefined) => number);
  enabled?: boolean;
  /** While the next answer comes, the last one stays. */
  keep?: boolean;
};

/** An answer of the management API, read when a component shows it. */
export function useRead<K extends RouteName>(
  route: K,
  given: Given<K>,
  { everyMs, enabled = true, keep = false }: ReadOptions<Reply<K>> = {},
): UseQueryResult<Reply<K>, ServerError> {
  return useQuery<Reply<K>, ServerError>({
    queryKey: [route, given],
    queryFn: () => call(route, given),
    enabled,
    ...(everyMs
      ? { refetchInterval: typeof everyMs === "number" ? everyMs : ({ state }) => everyMs(state.data) }
      : {}),
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  });
}

/** A change: when it is done, everything that is shown is asked again. */
export function useWrite<K extends RouteName>(route: K) {
  return useMutation<Reply<K>, ServerError, Given<K>>({
    mutationFn: (given) => call(route, given),
    onSuccess: () => answers.invalidateQueries(),
  });
}

/** An answer of the routes of signing in, of members and invitations. */
export function useAuth<T>(path: string): UseQueryResult<T, ServerError> {
  return useQuery<T, ServerError>({ queryKey: ["auth", path], queryFn: () => auth<T>(path) });
}

/** A change by those routes: as `useWrite`, everything that is shown is asked again. */
export async function changeAuth(path: string, body: object): Promise<void> {
  await auth(path, body);
  await answers.invalidateQueries();
}

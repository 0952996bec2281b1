/** Reads and writes of the management API through one cache; a write refreshes everything on the page. */
import {
  keepPreviousData,
  QueryCache,
  QueryClient,
  type UseQueryResult,
  useMutation,
  useQuery,
} from "@tanstack/react-query";
import { auth, call, type Input, type Reply, type RouteName, ServerError } from "./server.ts";

const isClientError = (error: unknown): boolean =>
  error instanceof ServerError && error.status >= 400 && error.status < 500;

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // the session ended elsewhere: reading it again redirects to the sign-in page
    onError: (error, { queryKey }) => {
      if (error instanceof ServerError && error.code === "not_signed_in" && queryKey[0] !== SESSION)
        void queryClient.invalidateQueries({ queryKey: [SESSION] });
    },
  }),
  defaultOptions: {
    // "always": offline, a read fails and says so, instead of waiting in silence with nothing to show
    queries: {
      staleTime: 2000,
      networkMode: "always",
      retry: (failures, error) => !isClientError(error) && failures < 2,
    },
    mutations: { networkMode: "always" },
  },
});

export const SESSION = "GET /api/session" satisfies RouteName;

type ReadOptions<T> = {
  /** The polling interval while the page is visible; 0 stops polling. */
  everyMs?: number | ((last: T | undefined) => number);
  enabled?: boolean;
  /** Keep the last result on the page while another is fetched. */
  keep?: boolean;
};

export function useRead<K extends RouteName>(
  route: K,
  input: Input<K>,
  { everyMs, enabled = true, keep = false }: ReadOptions<Reply<K>> = {},
): UseQueryResult<Reply<K>, ServerError> {
  return useQuery<Reply<K>, ServerError>({
    queryKey: [route, input],
    queryFn: () => call(route, input),
    enabled,
    ...(everyMs
      ? { refetchInterval: typeof everyMs === "number" ? everyMs : ({ state }) => everyMs(state.data) }
      : {}),
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  });
}

/** What `useRead` has, or reads now. */
export const readOnce = <K extends RouteName>(route: K, input: Input<K>): Promise<Reply<K>> =>
  queryClient.fetchQuery({ queryKey: [route, input], queryFn: () => call(route, input) });

/** Reads everything on the page again, but for what is marked as kept. */
export const refreshAll = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ meta }) => !meta?.isKept });

export function useWrite<K extends RouteName>(route: K) {
  return useMutation<Reply<K>, ServerError, Input<K>>({
    mutationFn: (input) => call(route, input),
    onSuccess: refreshAll,
  });
}

/** Reads a route of the sign-in library, which also keeps members and invitations. */
export function useAuth<T>(path: string, enabled = true): UseQueryResult<T, ServerError> {
  return useQuery<T, ServerError>({ queryKey: ["auth", path], queryFn: () => auth<T>(path), enabled });
}

/** Writes to a route of the sign-in library. */
export async function writeAuth<T = unknown>(path: string, body: object): Promise<T> {
  const reply = await auth<T>(path, body);
  await refreshAll();
  return reply;
}

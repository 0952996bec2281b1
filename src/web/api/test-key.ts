/**
 * The test key of a user and a project, for the playground and for samples. The server has one of each user and project,
 * which gets a new secret when it is asked for again, so all tabs of a browser share one: a tab asks the others before it does.
 * Secrets stay in memory.
 */
import { systemClock, unixSeconds } from "../../clock.ts";
import { type Client, openClient } from "./public-api.ts";
import { queryClient } from "./queries.ts";
import { call, type Reply, ServerError } from "./server.ts";

type TestKey = Reply<"POST /api/projects/:project/playground-key">;
/** Whose key it is. */
type Owner = { user: string; project: string };
/** `refused`: the secret of a key that no longer works. */
type Question = Owner & { refused: string | null };
type Message = { question: Question } | { owner: Owner; key: TestKey };

const KEPT_MS = 11 * 3_600_000; // a key is valid for twelve hours
const ANSWER_MS = 100; // how long other tabs may take to answer
const UNUSABLE = ["api_key_revoked", "api_key_expired", "invalid_api_key"];

const nameOf = ({ user, project }: Owner) => ["test key", user, project];
const keptKey = (owner: Owner) => queryClient.getQueryData<TestKey>(nameOf(owner));

/** For `useQuery` and `fetchQuery`. */
export const testKeyQuery = (owner: Owner) => ({
  queryKey: nameOf(owner),
  queryFn: () => obtain({ ...owner, refused: null }),
  staleTime: KEPT_MS,
  gcTime: KEPT_MS,
  retry: false,
  meta: { isKept: true },
});

/** A client of the public API with the test key; a key that was revoked or has expired is replaced once. */
export function openTestClient(owner: Owner): Client {
  return async (path, init) => {
    const { secret } = await queryClient.fetchQuery(testKeyQuery(owner));
    try {
      return await openClient(secret)(path, init);
    } catch (error) {
      if (!(error instanceof ServerError && UNUSABLE.includes(error.code))) throw error;
      const renewed = await renew({ ...owner, refused: secret });
      return openClient(renewed.secret)(path, init);
    }
  };
}

async function renew(question: Question): Promise<TestKey> {
  const kept = keptKey(question);
  if (kept && kept.secret !== question.refused) return kept;
  queryClient.removeQueries({ queryKey: nameOf(question) });
  return queryClient.fetchQuery({ ...testKeyQuery(question), queryFn: () => obtain(question) });
}

async function obtain({ user, project, refused }: Question): Promise<TestKey> {
  const shared = await askTabs({ user, project, refused });
  if (shared) return shared;
  const key = await call("POST /api/projects/:project/playground-key", { ids: { project } });
  tabs().postMessage({ owner: { user, project }, key } satisfies Message);
  return key;
}

let channel: BroadcastChannel | null = null;

/** The other tabs of this browser, whose questions are answered from now on. */
function tabs(): BroadcastChannel {
  channel ??= listen(new BroadcastChannel("loquat-test-key"));
  return channel;
}

function listen(opened: BroadcastChannel): BroadcastChannel {
  opened.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if ("question" in data) {
      const { refused, ...owner } = data.question;
      const key = keptKey(owner);
      if (key && key.secret !== refused && isFresh(key)) opened.postMessage({ owner, key } satisfies Message);
      return;
    }
    // the newer secret is the one that works
    const kept = keptKey(data.owner);
    if (kept && kept.created_at < data.key.created_at) queryClient.setQueryData(nameOf(data.owner), data.key);
  });
  return opened;
}

const isFresh = ({ created_at }: TestKey): boolean => unixSeconds(systemClock) - created_at < KEPT_MS / 1000;

/** The key of another tab; null where none answers. */
function askTabs(question: Question): Promise<TestKey | null> {
  const { promise, resolve } = Promise.withResolvers<TestKey | null>();
  const answers = new AbortController();
  const onMessage = ({ data }: MessageEvent<Message>) => {
    if ("key" in data && isSame(data.owner, question) && data.key.secret !== question.refused)
      resolve(data.key);
  };
  tabs().addEventListener("message", onMessage, { signal: answers.signal });
  tabs().postMessage({ question } satisfies Message);
  const timer = setTimeout(() => resolve(null), ANSWER_MS);
  return promise.finally(() => {
    clearTimeout(timer);
    answers.abort();
  });
}

const isSame = (one: Owner, other: Owner): boolean =>
  one.user === other.user && one.project === other.project;

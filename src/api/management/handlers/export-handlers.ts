/**
 * Archives: of what is kept about a person, for themselves, and of an organization, for its owners: what the lists of this API say of it, each from its first page to its last, and the
 * recordings of its voices. It is written while it is read, so that none is stored anywhere.
 */
import { unixSeconds } from "../../../clock.ts";
import { Refusal } from "../../../errors.ts";
import type { OwnVoice } from "../../../voices/voices.ts";
import { type ZipFile, zipOf } from "../../../zip.ts";
import { inOnePiece, linesOf } from "../../middleware/row-files.ts";
import type { exportRoutes } from "../schema/export-routes.ts";
import type { Download } from "../schema/route.ts";
import type { Contract } from "../schema/routes.ts";
import { type Handlers, orNotFound, type Reads } from "./handler.ts";

const OF = "GET /api/organizations/:organization";

/** Files of one JSON object each, and of JSON lines, by the routes that they have the records of. */
const RECORDS = { organization: OF, billing: `${OF}/billing` } as const;
const LISTS = {
  projects: `${OF}/projects`,
  keys: `${OF}/keys`,
  "service-accounts": `${OF}/service-accounts`,
  "admin-keys": `${OF}/admin-keys`,
  pronunciations: `${OF}/pronunciations`,
  voices: `${OF}/voices`,
  "voice-consents": `${OF}/voice-consents`,
  "spend-alerts": `${OF}/spend-alerts`,
  webhooks: `${OF}/webhooks`,
  jobs: `${OF}/jobs`,
  grants: `${OF}/billing/grants`,
  "top-ups": `${OF}/billing/top-ups`,
  invoices: `${OF}/billing/invoices`,
} as const;
/** JSON files that routes write themselves. */
const FILES = { requests: `${OF}/requests/export`, "audit-log": `${OF}/audit-events/export` } as const;

const USAGE = `${OF}/usage`;

type Values<T> = T[keyof T];
/** The routes whose replies the archive of an organization is made of. */
export type Listing = Pick<
  Handlers<Contract>,
  Values<typeof RECORDS> | Values<typeof LISTS> | Values<typeof FILES> | typeof USAGE
>;

const PAGE = 100;
const DAY = 86_400;
/** Of usage at once, which is added up by model and day. */
const WINDOW = 90 * DAY;

type ArchiveDeps = Reads<"accounts" | "voices" | "clock">;
type Deps = ArchiveDeps & Reads<"audit">;
type Asking = { organizationId: string; signal: AbortSignal };
type Page = { data: object[]; next_cursor?: string | null };

export function exportHandlers(deps: Deps, listing: Listing): Handlers<typeof exportRoutes> {
  return {
    "POST /api/account/export": async ({ session: { user }, signal }) => {
      await deps.audit.note([{ type: "user.exported", organizationId: null, resourceId: user.id }]);
      return archiveOf(deps, "account", personFiles(deps.accounts.personRecords(user.id), signal));
    },
    "POST /api/organizations/:organization/export": async (caller) => {
      await noteExport(deps, caller.organizationId);
      return organizationArchive(deps, listing, caller);
    },
  };
}

export const noteExport = ({ audit }: Pick<Deps, "audit">, organizationId: string): Promise<void> =>
  audit.note([{ type: "organization.exported", organizationId, resourceId: organizationId }]);

export const organizationArchive = (deps: ArchiveDeps, listing: Listing, asking: Asking): Download =>
  archiveOf(deps, asking.organizationId, filesOf(deps, listing, asking));

/** Named after what it is of, and its day. */
function archiveOf(
  { clock }: Pick<ArchiveDeps, "clock">,
  of: string,
  files: AsyncIterable<ZipFile>,
): Download {
  const at = new Date(clock.now());
  const name = `${of}-${at.toISOString().slice(0, 10)}.zip`;
  return { name, type: "application/zip", content: zipOf(files, at) };
}

async function* personFiles(
  records: ReturnType<Deps["accounts"]["personRecords"]>,
  signal: AbortSignal,
): AsyncGenerator<ZipFile> {
  for (const [name, read] of Object.entries(records)) {
    signal.throwIfAborted();
    yield { name: `${name}.jsonl`, content: linesOf(read()) };
  }
}

async function* filesOf(deps: ArchiveDeps, listing: Listing, caller: Asking): AsyncGenerator<ZipFile> {
  const { organizationId } = caller;
  const ask = <T>(route: keyof Listing, query: object = {}): Promise<T> => {
    caller.signal.throwIfAborted();
    const handler = listing[route] as unknown as (call: object) => Promise<T>;
    return handler({ ...caller, ids: { organization: organizationId }, query, body: undefined });
  };
  for (const [name, route] of Object.entries(RECORDS))
    yield {
      name: `${name}.json`,
      content: inOnePiece(async () => `${JSON.stringify(await ask(route), null, 2)}\n`),
    };
  yield { name: "members.jsonl", content: linesOf([await deps.accounts.people(organizationId)]) };
  for (const [name, route] of Object.entries(LISTS))
    yield { name: `${name}.jsonl`, content: linesOf(pagesOf((query) => ask<Page>(route, query))) };
  yield { name: "usage.jsonl", content: linesOf(usageOf(deps, caller, ask)) };
  for (const [name, route] of Object.entries(FILES))
    yield { name: `${name}.json`, content: (await ask<Download>(route, { format: "json" })).content };
  for (const voice of await deps.voices.list(organizationId)) {
    const file = await recordingOf(deps, voice);
    if (file) yield file;
  }
}

/** Null: it has none. In place of one that this server cannot decrypt there is why. */
async function recordingOf(
  { voices }: Pick<ArchiveDeps, "voices">,
  voice: OwnVoice,
): Promise<ZipFile | null> {
  try {
    const recording = await voices.read(voice, "recording");
    return recording && { name: `voices/${voice.id}.wav`, content: inOnePiece(() => recording) };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return { name: `voices/${voice.id}.txt`, content: inOnePiece(() => `${cause.message}\n`) };
  }
}

async function* pagesOf(read: (query: object) => Promise<Page>): AsyncGenerator<object[]> {
  let cursor: string | null | undefined;
  do {
    const page = await read({ limit: PAGE, ...(cursor && { cursor }) });
    yield page.data;
    cursor = page.next_cursor;
  } while (cursor);
}

/** Since the organization was made. */
async function* usageOf(
  { accounts, clock }: ArchiveDeps,
  { organizationId }: Asking,
  ask: <T>(route: keyof Listing, query: object) => Promise<T>,
): AsyncGenerator<object[]> {
  const { createdAt } = orNotFound("organization", await accounts.organization(organizationId));
  const end = Math.floor(unixSeconds(clock) / DAY + 1) * DAY;
  for (let from = Math.floor(createdAt / DAY) * DAY; from < end; from += WINDOW) {
    const query = { start: from, end: Math.min(end, from + WINDOW), bucket: "day", group_by: "model" };
    yield (await ask<Page>(USAGE, query)).data;
  }
}

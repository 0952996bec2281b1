/** /v1/files and /v1/uploads: the files of a project, as OpenAI's clients send, list, read and delete them. */
import { Elysia } from "elysia";
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
import type { Principal } from "../../../accounts/principal.ts";
import type { Clock } from "../../../clock.ts";
import type { FileRow } from "../../../db/queries/file-rows.ts";
import type { Files } from "../../../files/files.ts";
import type { Uploads } from "../../../files/uploads.ts";
import type { Log } from "../../../log/log.ts";
import type { BodyTimeouts } from "../../middleware/body/body.ts";
import type { CallerOf } from "../../middleware/caller.ts";
import { openKeyAccess, servedByKey } from "../organization/key-access.ts";
import { type KeyedCall, type KeyedRoute, keyedRoute, noSuch } from "../organization/keyed-route.ts";
import { listOf, PAGED, pageOf } from "../organization/listing.ts";
import { contentRoute, fileRoute, partRoute } from "./content-routes.ts";
import { FilePurpose, FileRecord, fileRecord } from "./file-records.ts";
import { uploadRoutes } from "./upload-routes.ts";

export type FileRoutesDeps = {
  accounts: Pick<Accounts, "authenticate">;
  files: Files;
  uploads: Uploads;
  callerOf: CallerOf;
  /** The client's address. */
  clientOf: (request: Request) => string | null;
  timeouts: BodyTimeouts;
  clock: Clock;
  log: Log;
};

export function fileRoutes({ accounts, clock, clientOf, log, ...deps }: FileRoutesDeps): Elysia {
  const { files, uploads, timeouts, callerOf } = deps;
  const unreadable = ({ id }: FileRow, cause: unknown) => log.error("file_unreadable", { id, cause });
  const access = openKeyAccess(
    { authenticate: accounts.authenticate, clock, clientOf },
    ["transcription:create", "speech:create"],
    "use files and jobs",
  );
  const routes = [...listingRoutes(files), ...uploadRoutes(uploads)];
  return new Elysia()
    .use(servedByKey({ access, prefix: "/v1", timeouts, callerOf, about: ABOUT, tag: "Files" }, routes))
    .use(fileRoute({ access, files, timeouts }))
    .use(contentRoute({ access, files, unreadable }))
    .use(partRoute({ access, uploads, timeouts })) as never;
}

const ABOUT =
  "Needs an API key with the scope `transcription:create` or `speech:create`, and is about the files of its project. Not metered; 600 requests a minute of an organization.";

/** The file of the path; another project's is as one that does not exist. */
const ownFile =
  (files: Pick<Files, "find">) =>
  async ({ principal, ids }: Pick<KeyedCall<Principal>, "principal" | "ids">): Promise<FileRow> => {
    const file = await files.find(principal, ids.file!);
    if (file === null) throw noSuch("file");
    return file;
  };

const FILES_AT_ONCE = 1000;

function listingRoutes(files: Files): KeyedRoute<Principal>[] {
  const own = ownFile(files);
  const Deleted = Type.Object({
    id: Type.String(),
    object: Type.Literal("file"),
    deleted: Type.Literal(true),
  });
  return [
    keyedRoute({
      ...{ method: "GET", path: "/files", id: "listFiles", reply: listOf(FileRecord) },
      summary: "List files, the newest first",
      query: Type.Object({
        ...PAGED,
        limit: Type.Optional(
          Type.Integer({
            ...{ minimum: 1, maximum: 10_000 },
            description: `How many files, 100 unless said; ${FILES_AT_ONCE} at most are listed at once.`,
          }),
        ),
        order: Type.Optional(Type.Enum(["asc", "desc"], { description: "By the time that they were made." })),
        purpose: Type.Optional(FilePurpose),
      }),
      handle: async ({ principal, query: { purpose = null, order = "desc", limit = 100, after } }) => {
        const page = { after, limit: Math.min(limit, FILES_AT_ONCE) };
        const found = await pageOf(page, (place) => files.list(principal, { ...place, purpose, order }));
        return { ...found, data: found.data.map(fileRecord) };
      },
    }),
    keyedRoute({
      ...{ method: "GET", path: "/files/:file", id: "getFile", reply: FileRecord },
      summary: "Get a file",
      handle: async (call: KeyedCall<Principal>) => fileRecord(await own(call)),
    }),
    keyedRoute({
      ...{ method: "DELETE", path: "/files/:file", id: "deleteFile", reply: Deleted },
      summary: "Delete a file and its content",
      refusals: ["file_in_use"],
      handle: async (call: KeyedCall<Principal>) => {
        const file = await own(call);
        if (!(await files.remove(file))) throw noSuch("file");
        return { id: file.id, object: "file", deleted: true };
      },
    }),
  ];
}

/** The routes of files that carry contents: a file that is sent, a part of an upload, and a file that is read. None is held in memory. */
import { Elysia } from "elysia";
import Type from "typebox";
import type { FileRow } from "../../../db/queries/file-rows.ts";
import { invalidInput } from "../../../errors.ts";
import { FILE_BYTES_AT_ONCE, type Files, fileTooLarge } from "../../../files/files.ts";
import { PART_BYTES, type Uploads } from "../../../files/uploads.ts";
import { checker } from "../../../schema.ts";
import { announcedBytes, type BodyTimeouts } from "../../middleware/body/body.ts";
import { fieldsOf } from "../../middleware/body/form.ts";
import { readStreamedForm, streamedBoundary } from "../../middleware/body/streamed-form.ts";
import { pulled } from "../../middleware/stream.ts";
import { json, KEY_REFUSALS, operation } from "../../openapi/operation.ts";
import type { KeyAccess } from "../organization/key-access.ts";
import { noSuch } from "../organization/keyed-route.ts";
import { ExpiresAfter, FileRecord, fileRecord, PartRecord, Purpose, partRecord } from "./file-records.ts";
import { ownUpload } from "./upload-routes.ts";

/** Slow lines take long: a megabit a second sends the largest in time. */
const FILE_TOTAL_MS = 3_600_000;
const FILENAME_MAX = 255;

const FileForm = Type.Object({ purpose: Purpose, expires_after: Type.Optional(ExpiresAfter) });
const fileForm = checker(FileForm);

const COMMON = [...KEY_REFUSALS, "rate_limit_exceeded"] as const;
const SENT = [
  ...COMMON,
  "validation_error",
  "unsupported_content_encoding",
  "file_too_large",
  "too_many_files",
  "concurrency_limit_exceeded",
] as const;

const Binary = (description: string) => ({ type: "string", format: "binary", description });

const formOf = (name: string, description: string, fields: { properties: object; required?: string[] }) => ({
  required: true,
  content: {
    "multipart/form-data": {
      schema: {
        type: "object",
        properties: { [name]: Binary(description), ...fields.properties },
        required: [name, ...(fields.required ?? [])],
      },
    },
  },
});

/** What a route is called with. */
type Received = { request: Request; params: Record<string, string> };

const isId = (id: string) => /^[\w.-]{1,100}$/.test(id);

export function fileRoute({
  access,
  files,
  timeouts,
}: {
  access: KeyAccess;
  files: Files;
  timeouts: BodyTimeouts;
}) {
  const handle = async ({ request }: Pick<Received, "request">): Promise<Response> => {
    const principal = await access(request);
    streamedBoundary(request); // before anything is reserved
    await using incoming = await files.receive(principal, announcedBytes(request) ?? 0);
    const { text, filename } = await readStreamedForm(request, {
      ...{ file: "file", bytesMax: FILE_BYTES_AT_ONCE, tooLarge: () => fileTooLarge(FILE_BYTES_AT_ONCE) },
      ...{ timeouts: { ...timeouts, totalMs: FILE_TOTAL_MS }, write: incoming.write },
    });
    const { value, details } = fileForm.check(fieldsOf(text, { purpose: "text", expires_after: "object" }));
    if (details !== null) throw invalidInput(details);
    const row = await incoming.finish({
      ...{ purpose: value.purpose, filename: nameOf(filename) },
      keptSeconds: value.expires_after?.seconds ?? null,
    });
    return Response.json(fileRecord(row));
  };
  return new Elysia().post("/v1/files", ({ request }) => handle({ request }), {
    parse: "none",
    detail: operation({
      ...{ id: "createFile", summary: "Send a file", tag: "Files", access: "key" },
      description: "Up to 512 MB. Larger files are sent in parts, as uploads.",
      body: formOf("file", "1 byte to 512 MB.", FileForm),
      ok: { description: "The file.", content: json(FileRecord) },
      refusals: SENT,
    }),
  });
}

/** As it was sent, without a path and what no name has. */
function nameOf(filename: string | null): string {
  const name = (filename ?? "").toWellFormed().replaceAll(/[\p{Cc}\p{Cf}]/gu, "");
  return (name.split(/[/\\]/).at(-1) ?? "").trim().slice(0, FILENAME_MAX) || "file";
}

export function partRoute(deps: { access: KeyAccess; uploads: Uploads; timeouts: BodyTimeouts }) {
  const { access, uploads, timeouts } = deps;
  const own = ownUpload(uploads);
  const handle = async ({ request, params }: Received): Promise<Response> => {
    const principal = await access(request);
    if (!isId(params.upload!)) throw noSuch("upload");
    const upload = await own({ principal, ids: params });
    streamedBoundary(request);
    await using incoming = await uploads.receive(principal, upload, announcedBytes(request) ?? 0);
    await readStreamedForm(request, {
      ...{ file: "data", bytesMax: PART_BYTES, tooLarge: uploads.partTooLarge, write: incoming.write },
      timeouts: { ...timeouts, totalMs: FILE_TOTAL_MS },
    });
    return Response.json(partRecord(await incoming.finish()));
  };
  const route = "/v1/uploads/:upload/parts";
  return new Elysia().post(route, ({ request, params }) => handle({ request, params }), {
    parse: "none",
    detail: operation({
      ...{ id: "createUploadPart", summary: "Send a part of an upload", tag: "Files", access: "key" },
      description:
        "Parts may be sent in any order, and several at once. One that is sent again is another part.",
      path: { upload: { description: "The id of the upload." } },
      body: formOf("data", "1 byte to 64 MB.", { properties: {} }),
      ok: { description: "The part.", content: json(PartRecord) },
      refusals: [...SENT, "not_found", "upload_ended"],
    }),
  });
}

type ContentDeps = {
  access: KeyAccess;
  files: Files;
  /** A file cannot be read. */
  unreadable: (file: FileRow, cause: unknown) => void;
};

export function contentRoute({ access, files, unreadable }: ContentDeps) {
  const handle = async ({ request, params }: Received): Promise<Response> => {
    const principal = await access(request);
    const file = isId(params.file!) ? await files.find(principal, params.file!) : null;
    if (file === null) throw noSuch("file");
    const body = pulled(files.content(file), (cause) => unreadable(file, cause));
    const headers = {
      ...{ "content-type": "application/octet-stream", "content-length": String(file.bytes) },
      "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.filename)}`,
    };
    return new Response(body, { headers });
  };
  const route = "/v1/files/:file/content";
  return new Elysia().get(route, ({ request, params }) => handle({ request, params }), {
    detail: operation({
      ...{ id: "getFileContent", summary: "Get the content of a file", tag: "Files", access: "key" },
      path: { file: { description: "The id of the file." } },
      ok: {
        description: "The content, as it was sent.",
        content: { "application/octet-stream": { schema: Binary("The content.") } },
      },
      refusals: [...COMMON, "not_found"],
    }),
  });
}

/** /v1/uploads: files that are sent in parts. The parts themselves have a route of their own. */
import Type from "typebox";
import type { Principal } from "../../../accounts/principal.ts";
import type { UploadRow } from "../../../db/queries/upload-rows.ts";
import type { Uploads } from "../../../files/uploads.ts";
import {
  type KeyedCall,
  type KeyedRoute,
  keyedRoute,
  noSuch,
  outOfRange,
} from "../organization/keyed-route.ts";
import { ExpiresAfter, Purpose, UploadRecord, uploadRecord } from "./file-records.ts";

const ONE = "/uploads/:upload";
const PARTS_MAX = 2000;
const MIB = 1024 * 1024;

const Filename = Type.String({ minLength: 1, maxLength: 255, description: "The name of the file." });

/** The upload of the path; another project's is as one that does not exist. */
export const ownUpload =
  (uploads: Pick<Uploads, "find">) =>
  async ({ principal, ids }: Pick<KeyedCall<Principal>, "principal" | "ids">): Promise<UploadRow> => {
    const upload = await uploads.find(principal, ids.upload!);
    if (upload === null) throw noSuch("upload");
    return upload;
  };

export function uploadRoutes(uploads: Uploads): KeyedRoute<Principal>[] {
  const own = ownUpload(uploads);
  return [
    keyedRoute({
      ...{ method: "POST", path: "/uploads", id: "createUpload", reply: UploadRecord },
      summary: "Create an upload, to which a file is sent in parts within a day",
      refusals: ["too_many_files", "insufficient_scope"],
      body: Type.Object({
        filename: Filename,
        bytes: Type.Integer({ minimum: 1, description: "Of the whole file." }),
        mime_type: Type.String({ minLength: 1, maxLength: 255, description: "Of the file; it is not used." }),
        purpose: Purpose,
        expires_after: Type.Optional(ExpiresAfter),
      }),
      handle: async ({ principal, body }) => {
        const { filename, bytes, mime_type: mimeType, purpose, expires_after: after } = body;
        if (bytes > uploads.bytesMax)
          throw outOfRange("bytes", `is more than the ${uploads.bytesMax / MIB} MB that a file may have`);
        const keptSeconds = after?.seconds ?? null;
        return uploadRecord(
          await uploads.create(principal, { filename, bytes, mimeType, purpose, keptSeconds }),
        );
      },
    }),
    keyedRoute({
      ...{ method: "POST", path: `${ONE}/complete`, id: "completeUpload", reply: UploadRecord },
      summary: "Make a file of the parts of an upload",
      refusals: ["upload_ended"],
      body: Type.Object({
        part_ids: Type.Array(Type.String({ maxLength: 100 }), {
          ...{ minItems: 1, maxItems: PARTS_MAX },
          description: "The parts in the order of the file. Parts that are not named are deleted.",
        }),
        md5: Type.Optional(
          Type.String({ pattern: "^[0-9A-Fa-f]{32}$", description: "Of the whole file, in hexadecimal." }),
        ),
      }),
      handle: async ({ body: { part_ids: partIds, md5 = null }, ...call }) => {
        const { upload, file } = await uploads.complete(await own(call), { partIds, md5 });
        return uploadRecord(upload, file);
      },
    }),
    keyedRoute({
      ...{ method: "POST", path: `${ONE}/cancel`, id: "cancelUpload", reply: UploadRecord },
      summary: "Cancel an upload, and delete its parts",
      refusals: ["upload_ended"],
      handle: async (call: KeyedCall<Principal>) => uploadRecord(await uploads.cancel(await own(call))),
    }),
  ];
}

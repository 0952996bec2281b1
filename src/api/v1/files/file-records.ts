/** Files, uploads and their parts as clients get them: OpenAI's fields. Times are Unix seconds. */
import Type from "typebox";
import type { FileRow } from "../../../db/queries/file-rows.ts";
import type { UploadRow } from "../../../db/queries/upload-rows.ts";
import type { Part } from "../../../files/uploads.ts";
import { nullable, Time } from "../organization/records.ts";

export const Purpose = Type.Enum(["user_data", "batch"], {
  description: "user_data: a recording or a text. batch: the lines of a batch.",
});

/** As files have it: what batches leave is sent by no one. */
export const FilePurpose = Type.Enum([...Purpose.enum, "batch_output"], {
  description:
    "user_data: a recording or a text. batch: the lines of a batch. batch_output: what a batch left.",
});

export const ExpiresAfter = Type.Object(
  {
    anchor: Type.Enum(["created_at"], { description: "What the seconds are counted from." }),
    seconds: Type.Integer({ minimum: 3600, maximum: 2_592_000, description: "An hour to 30 days." }),
  },
  { description: "When the file is deleted, after it was made. Without it, when you delete it." },
);

export const FileRecord = Type.Object({
  id: Type.String(),
  object: Type.Literal("file"),
  bytes: Type.Integer(),
  created_at: Time,
  expires_at: nullable(Time),
  filename: Type.String(),
  purpose: FilePurpose,
  status: Type.Literal("processed"),
});

export const fileRecord = ({ id, bytes, createdAt, expiresAt, filename, purpose }: FileRow) => ({
  ...{ id, object: "file" as const, bytes, created_at: createdAt, expires_at: expiresAt },
  ...{ filename, purpose, status: "processed" as const },
});

export const UploadRecord = Type.Object({
  id: Type.String(),
  object: Type.Literal("upload"),
  bytes: Type.Integer(),
  created_at: Time,
  expires_at: Time,
  filename: Type.String(),
  purpose: Purpose,
  status: Type.Enum(["pending", "completed", "cancelled", "expired"]),
  file: nullable(FileRecord),
});

export const uploadRecord = (upload: UploadRow, file: FileRow | null = null) => ({
  ...{ id: upload.id, object: "upload" as const, bytes: upload.bytes, created_at: upload.createdAt },
  ...{ expires_at: upload.expiresAt, filename: upload.filename, purpose: upload.purpose },
  ...{ status: upload.status, file: file && fileRecord(file) },
});

export const PartRecord = Type.Object({
  id: Type.String(),
  object: Type.Literal("upload.part"),
  created_at: Time,
  upload_id: Type.String(),
});

export const partRecord = ({ id, createdAt, uploadId }: Part) => ({
  ...{ id, object: "upload.part" as const, created_at: createdAt, upload_id: uploadId },
});

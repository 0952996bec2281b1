/** How much an organization may store. */
import type { Principal } from "../accounts/principal.ts";
import { byteText } from "../byte-text.ts";
import type { FilePartRow } from "../db/queries/file-rows.ts";
import { Refusal } from "../errors.ts";

/** Files, and parts of those that are sent in parts. */
const PARTS_MAX = 10_000;

export type FileOwnerPlan = Pick<Principal, "organizationId" | "projectId" | "plan" | "limitOverrides">;

type Used = { bytes: FilePartRow["bytes"]; parts: number };

/** Refuses where so many bytes more than an organization uses are more than it may store. */
export function requireStorable({ bytes, parts }: Used, max: number, more = 0): void {
  if (parts > PARTS_MAX)
    throw new Refusal(
      "too_many_files",
      `Your organization has ${PARTS_MAX} files and parts of uploads, which is as many as it may have. Delete some first.`,
    );
  if (bytes + more > max)
    throw new Refusal(
      "too_many_files",
      `Your organization may store ${byteText(max)} of files, and this would be more. Delete some first.`,
    );
}

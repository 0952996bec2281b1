/** A job as the management API returns it, and how its parts are called. */
import type { Reply } from "../api/server.ts";

export type Job = Reply<"GET /api/organizations/:organization/jobs/:job">;

export const STATUS_NAMES: Record<Job["status"], string> = {
  queued: "Queued",
  in_progress: "In progress",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
  expired: "Expired",
};

/** A job that has not ended is read again so often. */
export const UNFINISHED_EVERY_MS = 2000;

/** By its title or what its maker says of it; otherwise by where it comes from. */
export function sourceOf({ title, metadata, input }: Job): string {
  if (title !== null) return title;
  const said = Object.values(metadata).filter((value) => value !== "");
  if (said.length > 0) return said.join(" · ");
  if (input.url !== null) return hostOf(input.url);
  return input.file_id ?? "Sent with the request";
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/** A job as the management API returns it, and how its parts are called. */
import type { Reply } from "../api/server.ts";
import { jobsTexts } from "../language/en/jobs.ts";

export type Job = Reply<"GET /api/organizations/:organization/jobs/:job">;

/** A job that has not ended is read again so often. */
export const UNFINISHED_EVERY_MS = 2000;

/** By its title or what its maker says of it; otherwise by where it comes from. */
export function sourceOf({ title, metadata, input }: Job): string {
  if (title !== null) return title;
  const said = Object.values(metadata).filter((value) => value !== "");
  if (said.length > 0) return said.join(" · ");
  if (input.url !== null) return hostOf(input.url);
  return input.file_id ?? jobsTexts()("sentWithRequest");
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

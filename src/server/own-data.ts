/** What deletes the data of organizations and people. */
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { handleAccountDeletions } from "../deletion/account-deletions.ts";
import { type DeletionDeps, handleOrganizationDeletions } from "../deletion/organization-deletions.ts";

export function openOwnData({ data }: Config, deps: Omit<DeletionDeps, "letters">): void {
  const letters = join(data.folder, "mail");
  handleAccountDeletions({ ...deps, letters });
  handleOrganizationDeletions({ ...deps, letters });
}

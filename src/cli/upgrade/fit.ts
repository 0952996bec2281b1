/** Which executables may replace this one. Knows no files. */
import type { Identity } from "./identity.ts";

type Fit = { here: Identity; next: Identity; allowOlder: boolean };

/** Why the next one may not replace this one; null: it may. */
export function misfit({ here, next, allowOlder }: Fit): string | null {
  if (next.platform !== here.platform) return `it is for ${next.platform}, and this is ${here.platform}`;
  if (next.flavour !== here.flavour)
    return `it is of the flavour ${next.flavour}, and this is ${here.flavour}: replace the file by hand to change that`;
  const [dialect] = Object.entries(here.schema).find(
    ([name, { when }]) => next.schema[name as keyof Identity["schema"]].when < when,
  ) ?? [null];
  if (dialect !== null)
    return `its schema of ${dialect} is older than that of this version, and a database is never migrated back`;
  if (!allowOlder && Bun.semver.order(next.version, here.version) < 0)
    return `it is version ${next.version}, which is older than ${here.version}: --allow-older takes it all the same`;
  return null;
}

/** Whether the next one migrates the database when it starts. */
export const migrates = ({ here, next }: Pick<Fit, "here" | "next">): boolean =>
  Object.entries(here.schema).some(
    ([name, { when }]) => next.schema[name as keyof Identity["schema"]].when > when,
  );

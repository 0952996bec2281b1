/** What program this is, as another version of it asks: `loquat version --json`. */
import { version } from "../../../package.json";
import { newestMigration } from "../../db/schema-version.ts";
import { flavour, resource } from "../../resources.ts";

const DIALECTS = ["sqlite", "postgres"] as const;

/** What later versions rely on when they upgrade: fields may be added, and none changed. */
export type Identity = {
  version: string;
  /** Null: a checkout. */
  flavour: string | null;
  /** Such as `linux-x64`. */
  platform: string;
  /** The newest migration of each database, and when it was made, in milliseconds. */
  schema: Record<(typeof DIALECTS)[number], { tag: string; when: number }>;
};

export function identity(): Identity {
  const schema = DIALECTS.map((dialect) => {
    const { tag, when } = newestMigration(resource(`drizzle/${dialect}`));
    return [dialect, { tag, when }];
  });
  return {
    version,
    flavour: flavour(),
    platform: `${process.platform}-${process.arch}`,
    schema: Object.fromEntries(schema),
  };
}

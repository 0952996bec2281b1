/** The first entry of a backup: what follows it, and which packages were installed, whose weights it leaves out. */

import Type, { type Static } from "typebox";
import { OperatorError } from "../errors.ts";
import { checker } from "../schema.ts";

/** A backup that cannot be made or read; the message says why. */
export class BackupError extends OperatorError {}

export const MANIFEST_NAME = "backup.json";
export const MANIFEST_MAX_BYTES = 16 * 1024 * 1024;

/** What a backup holds besides its manifest; relative to the data directory. */
const PATH = "^(loquat\\.db|first-key|(mail|tls)/[A-Za-z0-9_][A-Za-z0-9_.-]*)$";

const Manifest = Type.Object({
  format: Type.Literal("loquat-backup/1"),
  /** Of the program. */
  version: Type.String(),
  /** ISO 8601. */
  created_at: Type.String(),
  /** The newest migration of the database. */
  schema: Type.String(),
  packages: Type.Array(Type.Object({ name: Type.String(), version: Type.String() })),
  files: Type.Array(
    Type.Object({
      path: Type.String({ pattern: PATH }),
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    }),
  ),
});

export type BackupManifest = Static<typeof Manifest>;

const manifests = checker(Manifest);

export function parseManifest(text: string): BackupManifest {
  const { value, details } = manifests.check(JSON.parse(text));
  if (details === null) return value;
  const [first] = details;
  throw new BackupError(`The backup's ${MANIFEST_NAME} is not valid: ${first?.field} ${first?.message}.`);
}

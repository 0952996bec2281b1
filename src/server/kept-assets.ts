/**
 * The files of the dashboard, kept in the database: a page that another version has sent may be open for days, and asks
 * whichever node answers for files that only its own version has.
 */
import type { KeptFiles } from "../api/pages/web.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { openAssetRows } from "../db/queries/asset-rows.ts";

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

export function openKeptAssets({ database, clock }: { database: Database; clock: Clock }): KeptFiles {
  const rows = openAssetRows(database);
  let saved: Promise<void> | null = null;

  async function write(files: Parameters<KeptFiles["save"]>[0]): Promise<void> {
    const usedMs = clock.now();
    await rows.put(files.map(({ gzip, ...file }) => ({ ...file, gzip: Buffer.from(gzip), usedMs })));
    await rows.deleteUnused(usedMs - KEPT_MS);
  }

  return {
    save(files) {
      saved ??= write(files).catch(() => {
        saved = null; // the next page tries again
      });
      return saved;
    },
    async find(name) {
      const row = await rows.find(name);
      return row && { type: row.type, gzip: new Uint8Array(row.gzip) };
    },
  };
}

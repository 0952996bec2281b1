/** Rows that a database has before a bench begins, written by itself: millions of them in seconds. SQLite only. */
import { openSqlite } from "../../src/db/open-sqlite.ts";

/** How many there are of each, of all organizations together. */
export type Seeds = { events?: number; voices?: number; aliases?: number };

const ROWS: Record<keyof Seeds, string> = {
  /** Copies of one charge over the last months, for every organization in turn. */
  events: `
    insert into usage_event (id, organization_id, project_id, key_id, environment, request_id, endpoint, model, unit,
      quantity, price_micros, cost_micros, overdraft_micros, burns, month, created_at)
    select 'req_seed' || n || '.0', organization.id, 'project', 'key', 'live',
      'req_seed' || n, '/v1/audio/speech', 'svc-tts1', 'character', 100, 15000000, 1500, 0, '[]', 202601,
      1760000000 + n
    from number join organization on organization.rowid = 1 + n % (select count(*) from organization)`,
  /** Each organization has as many. */
  voices: `
    insert into voice (id, organization_id, name, kind, model, duration_ms, created_at)
    select 'voice_' || printf('%024d', n), organization.id, 'Voice ' || n, 'recording', 'svc-tts1', 5000, 1760000000 + n
    from number join organization on organization.rowid = 1 + n % (select count(*) from organization)`,
  aliases: `
    insert into alias (kind, name, targets, format) select 'voice', 'voice-' || n, '["male-classic"]', null from number`,
};

export async function plant(folder: string, seeds: Seeds): Promise<void> {
  await using database = openSqlite(folder);
  for (const [kind, count] of Object.entries(seeds) as [keyof Seeds, number][]) {
    if (count === 0) continue;
    const numbers = `number(n) as (select 0 union all select n + 1 from number where n + 1 < ${count})`;
    database.sqlite.run(`with recursive ${numbers} ${ROWS[kind]}`);
  }
}

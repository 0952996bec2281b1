/** The upstreams that the database has, for commands that run without a server. */
import { readConfig } from "../../config/config.ts";
import { openUpstreamRows } from "../../db/queries/upstream-rows.ts";
import { hasDatabase, openStorage } from "../../server/storage.ts";
import { note } from "./output.ts";

/** Their definitions, unchecked. None, with a note, where the database cannot be opened: the rest of the catalogue is known. */
export async function storedUpstreams(config = readConfig()): Promise<object[]> {
  if (!hasDatabase(config)) return [];
  try {
    await using storage = await openStorage(config);
    return await openUpstreamRows(storage.database).list();
  } catch (error) {
    note(`The upstreams of the database are left out: ${(error as Error).message}`);
    return [];
  }
}

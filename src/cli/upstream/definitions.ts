/** The upstreams that commands read and edit: those of the catalogue's folder and of the database. */
import { readConfig } from "../../config/config.ts";
import { auditedUpstreams } from "../../server/audited-edits.ts";
import { openUpstreamAdmin, type UpstreamAdmin } from "../../upstreams/edits.ts";
import { openUpstreamSet, type UpstreamSet } from "../../upstreams/upstreams.ts";
import { withStorage } from "../base/context.ts";
import { note } from "../base/output.ts";

type Upstreams = { set: UpstreamSet; admin: UpstreamAdmin };

export const withUpstreams = (work: (upstreams: Upstreams) => Promise<void>) =>
  withStorage(async (storage) => {
    const set = openUpstreamSet(readConfig().models.folder);
    const admin = openUpstreamAdmin(auditedUpstreams(storage), set);
    for (const fault of await admin.refresh()) note(`An upstream cannot be used: ${fault}`);
    await work({ set, admin });
  });

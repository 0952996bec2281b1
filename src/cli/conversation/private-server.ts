/**
 * A server for the length of a command, with one conversation and the upstreams of this installation: on a free port of this
 * machine, over a database of its own, so that nothing is charged and a running server is not disturbed.
 */
import { systemClock } from "../../clock.ts";
import { type Config, readConfig } from "../../config/config.ts";
import { openConversationRows } from "../../db/queries/conversation-rows.ts";
import { openLog } from "../../log/log.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import type { Conversation } from "../../models/conversation.ts";
import { buildApp } from "../../server/app.ts";
import { listen } from "../../server/network.ts";
import { openServices } from "../../server/services.ts";
import { firstStart } from "../../server/storage.ts";
import type { UpstreamSet } from "../../upstreams/upstream-set.ts";
import { openScratch } from "../speech/scratch.ts";

export type PrivateServer = AsyncDisposable & { url: string; key: string; catalogue: Catalogue };

export async function openPrivateServer(
  { isDefault: _, ...conversation }: Conversation & { isDefault: boolean },
  upstreams: UpstreamSet,
): Promise<PrivateServer> {
  await using stack = new AsyncDisposableStack();
  const scratch = stack.use(openScratch());
  const config = privately(readConfig(), scratch.folder);
  const services = stack.use(
    await openServices(
      config,
      systemClock,
      openLog("silent", () => {}),
    ),
  );
  services.upstreams.use(upstreams.list().map(({ definition }) => definition));
  const unasked = { ...conversation, greeting: null }; // it would be spoken over what the caller says
  await openConversationRows(services.database).put(unasked);
  await services.conversations.refresh();
  const first = await firstStart(services, config.plan);
  const server = listen(buildApp(services), config);
  stack.defer(() => server.stop(true));
  const opened = stack.move();
  return {
    url: server.url.origin,
    key: first!.key.secret,
    catalogue: services.catalogue,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const privately = (config: Config, folder: string): Config => ({
  ...config,
  ...{ plan: "unmetered", languageModel: null, stripe: null, wyoming: null, traces: null },
  http: { ...config.http, host: "127.0.0.1", port: 0, url: null, tls: null, reusePort: false },
  data: { ...config.data, folder, url: null, limitsUrl: null },
  fleet: { role: "api", secret: null, engines: [], join: [], ca: null },
});

/** The composition root of the HTTP side: where the parts meet the routes. */
import { Elysia } from "elysia";
import { version } from "../package.json";
import { consoleRoutes } from "./console/mount.ts";
import { openAccess } from "./http/access.ts";
import type { Patience } from "./http/body.ts";
import { openCallers } from "./http/caller.ts";
import { edge } from "./http/edge.ts";
import { openMetered } from "./http/metered.ts";
import { dashboardRoutes } from "./pages/dashboard.ts";
import { docsRoutes } from "./pages/docs.ts";
import { playgroundRoutes } from "./pages/playground.ts";
import type { Parts } from "./parts.ts";
import { clientSecretRoutes } from "./routes/client-secrets.ts";
import { healthRoutes } from "./routes/health.ts";
import { meRoute } from "./routes/me.ts";
import { catalogueRoutes } from "./routes/models.ts";
import { realtimeRoute, SOCKET_LIMITS } from "./routes/realtime.ts";
import { speechRoute } from "./routes/speech.ts";
import { transcriptionRoute } from "./routes/transcriptions.ts";

const PATIENCE: Patience = { idleMs: 30_000, totalMs: 300_000 };
const UNREAD_MS = 600_000; // whoever pauses a player stops reading

export type AppOptions = {
  patience?: Patience;
  /** The longest that a stream waits for its reader to take more. */
  unreadMs?: number;
  closing?: AbortSignal;
};

export function buildApp(
  parts: Parts,
  { patience = PATIENCE, unreadMs = UNREAD_MS, closing = new AbortController().signal }: AppOptions = {},
) {
  const access = openAccess((secret) => parts.accounts.authenticate(secret));
  const { accounts, catalogue, studio, decoder, workshop, ears, live, judge } = parts;
  const { meter, metrics, budget, log, clock } = parts;
  const callerOf = openCallers(parts.config.http.proxies);
  const metered = openMetered({ access, meter, budget, callerOf });
  return new Elysia({
    serve: {
      development: false, // its reports of broken streams are no JSON, and show source
      idleTimeout: 255, // stock clients keep idle sockets for minutes
      reusePort: false, // two servers on one port would split the traffic silently
      maxRequestBodySize: Number.MAX_SAFE_INTEGER, // the framework's own refusal has no envelope; ours reads no further
    },
    websocket: SOCKET_LIMITS,
  })
    .use(edge({ clock, log, patience }))
    .use(docsRoutes(version))
    .use(playgroundRoutes())
    .use(dashboardRoutes())
    .use(consoleRoutes(parts))
    .use(
      healthRoutes({
        catalogue,
        databaseAnswers: () => accounts.answers(),
        closing: () => closing.aborted,
        callerOf,
        metrics,
        clock,
      }),
    )
    .use(catalogueRoutes(access, catalogue))
    .use(meRoute({ access, accounts, ledger: parts.ledger }))
    .use(speechRoute({ metered, catalogue, studio, patience, unreadMs, log }))
    .use(transcriptionRoute({ metered, catalogue, decoder, workshop, patience, unreadMs, log }))
    .use(clientSecretRoutes({ access, accounts, catalogue, meter, patience, clock }))
    .use(
      realtimeRoute(
        { accounts, catalogue, ears, live, judge, budget, meter, clock, log },
        { closing, callerOf },
      ),
    );
}

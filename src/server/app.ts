/** Composes the HTTP application: connects the services to the routes. */

import { Elysia } from "elysia";
import { routeDialects } from "../api/dialects/routing.ts";
import { docsRoutes } from "../api/docs/docs-routes.ts";
import { managementRoutes } from "../api/management/router.ts";
import { type BodyTimeouts, openPace, type Pace } from "../api/middleware/body/body.ts";
import {
  type Authentication,
  type CallerOf,
  openCallers,
  openKeyAuthentication,
} from "../api/middleware/caller.ts";
import { edge } from "../api/middleware/edge.ts";
import type { KnownRoute } from "../api/middleware/known-routes.ts";
import { type MeteredRoutes, openMetered } from "../api/middleware/metering.ts";
import { neverShutDown, type Shutdown } from "../api/middleware/shutdown.ts";
import { healthRoutes } from "../api/pages/health.ts";
import { metricsRoute } from "../api/pages/metrics-page.ts";
import { notFoundPage } from "../api/pages/not-found.ts";
import { keptPage, webRoutes } from "../api/pages/web.ts";
import { type BuildPages, DOCS_FRAME, openBundle } from "../api/pages/web-bundle.ts";
import { openRefusalPace, type RefusalPace } from "../api/sockets/refusal-pace.ts";
import { openSocketRoutes, SOCKET_LIMITS } from "../api/sockets/socket-route.ts";
import { batchRoutes } from "../api/v1/batches/batch-routes.ts";
import { clientSecretRoutes } from "../api/v1/client-secrets.ts";
import {
  type ConversationDeps,
  conversations,
  describeConversation,
} from "../api/v1/conversation/open-conversation.ts";
import { discoveryRoutes } from "../api/v1/discovery.ts";
import { fileRoutes } from "../api/v1/files/file-routes.ts";
import { openCreateJob } from "../api/v1/jobs/create-job.ts";
import { openCreateSpeechJob } from "../api/v1/jobs/create-speech-job.ts";
import { jobRoutes } from "../api/v1/jobs/job-routes.ts";
import { meRoute } from "../api/v1/me.ts";
import { catalogueRoutes } from "../api/v1/models.ts";
import { organizationRoutes } from "../api/v1/organization/routes.ts";
import { realtimeRoute } from "../api/v1/realtime/route.ts";
import { speechRoute } from "../api/v1/speech.ts";
import { transcriptionRoutes } from "../api/v1/transcriptions.ts";
import { voiceRoutes } from "../api/v1/voices/voice-routes.ts";
import { webhookRoutes } from "../api/v1/webhooks/webhook-routes.ts";
import type { Config } from "../config/config.ts";
import { enginesRoute } from "../engine-nodes/engines-route.ts";
import { openSignatures } from "../identity/hmac.ts";
import { machineLimits } from "../plans.ts";
import type { OwnVoices } from "../voices/voices.ts";
import { openAssistants } from "./assistants.ts";
import { dialectRoutes, dialectsNamed } from "./dialect-routes.ts";
import { openKeptAssets } from "./kept-assets.ts";
import { openBackup } from "./own-backup.ts";
import type { Services } from "./services.ts";

const TIMEOUTS: BodyTimeouts = { idleMs: 30_000, totalMs: 300_000 };
const UNREAD_MS = 600_000; // a paused player stops reading

const SERVE = {
  development: false, // its error pages are not JSON, and show source code
  idleTimeout: 255, // stock clients keep idle sockets for minutes
  maxRequestBodySize: Number.MAX_SAFE_INTEGER, // the framework's own refusal has no envelope; ours reads no further
};

export type AppOptions = {
  timeouts?: BodyTimeouts;
  /** How long a stream waits for its client to read more. */
  unreadMs?: number;
  /** The stages in which it ends; without them it never does. */
  shutdown?: Shutdown;
  /** The rate at which the rest of refused bodies is read. */
  pace?: Pace;
  /** The rate at which large refused frames of sockets are answered. */
  refusalPace?: RefusalPace;
  /** What makes the files of the pages. */
  buildPages?: BuildPages;
};

export function buildApp(
  services: Services,
  {
    timeouts = TIMEOUTS,
    unreadMs = UNREAD_MS,
    shutdown = neverShutDown(),
    pace = openPace(),
    refusalPace = openRefusalPace(shutdown.closing),
    buildPages,
  }: AppOptions = {},
) {
  const machine = machineLimits(services.config);
  const { accounts, ledger, synthesizer, decoder, registry, pronunciations } = services;
  const { voices, consents, config } = services;
  const { meter, metrics, budget, log, clock, tracing, address, catalogueFor } = services;
  const callerOf = openCallers(config.http.proxies);
  const clientOf = (request: Request) => callerOf(request, app.server);
  const access = openKeyAuthentication((secret) => services.accounts.authenticate(secret), clientOf);
  const sockets = openSocketRoutes({ ...shutdown, accounts, callerOf, node: config.node });
  const [bundle, kept] = [openBundle(address.base, buildPages), openKeptAssets(services)];
  const metering = { meter, budget, callerOf, cut: shutdown.cut, tracing };
  const meteredBy = (access: Authentication): MeteredRoutes =>
    openMetered({ access, ...metering, server: () => app.server });
  const metered = meteredBy(access);
  const dialects = dialectsNamed(config.http.dialects);
  const ownVoices = { voices, consents, cloning: config.voices.cloning };
  const speaking = { catalogueFor, synthesizer, pronunciations, ownVoices };
  const sending = { timeouts, unreadMs, log };
  const keyed = { ...services, callerOf, clientOf, timeouts };
  const conversing = conversingOf(services, ownVoices);
  const listening = { ...listeningOf(services), catalogueFor, refusalPace };
  const routes: KnownRoute[] = [];
  const app = new Elysia({
    serve: { ...SERVE, reusePort: services.config.http.reusePort },
    websocket: SOCKET_LIMITS,
  })
    .use(
      edge({
        ...{ node: services.config.node, clock, log, metrics, timeouts, pace, routes, tracing },
        ...{ base: address.base, notFoundPage: (message) => notFoundPage(message, address.base) },
        ...{ draining: shutdown.draining, dialects: routeDialects(dialects) },
        again: (request): unknown => app.fetch(request),
      }),
    )
    .use(docsRoutes({ address, frame: () => keptPage(bundle, kept, DOCS_FRAME) }))
    .use(webRoutes(bundle, kept, () => void services.identity.warm()))
    .use(managementRoutes(managementParts(services, bundle.hash)))
    .use(ownHealth(services, callerOf, shutdown.draining))
    .use(enginesRoute(services.fleet))
    .use(ownMetrics(services, callerOf))
    .use(catalogueRoutes({ access, catalogueFor, ownVoices, encodesAac: services.encodesAac }))
    .use(discoveryRoutes({ access, catalogueFor, ownVoices, publicPlan: publicPlanOf(config) }))
    .use(meRoute({ access, accounts, ledger, machine, clock }))
    .use(organizationRoutes({ ...keyed, signatures: openSignatures(services) }))
    .use(webhookRoutes(keyed))
    .use(fileRoutes(keyed))
    .use(jobRoutes(keyed))
    .use(batchRoutes(keyed))
    .use(speechRoute({ ...speaking, ...sending, metered, createJob: speechJobsOf(services, speaking) }))
    .use(voiceRoutes({ access, metered, meter, catalogueFor, ...ownVoices, decoder, registry, timeouts }))
    .use(transcriptionRoutes({ metered, ...recognitionOf(services), ...sending }))
    .use(
      clientSecretRoutes({
        ...{ access, accounts, catalogueFor, meter, timeouts, clock },
        describeConversation: describeConversation(conversing, catalogueFor),
      }),
    )
    .use(
      dialectRoutes(dialects, services, {
        ...{ ...listening, ownVoices, machine, timeouts, unreadMs, meteredBy, sockets, clientOf },
      }),
    )
    .use(realtimeRoute({ ...listening, openConversation: conversations(conversing) }, sockets));
  routes.push(...app.routes.map(({ method, path }) => ({ method, path })));
  return app;
}

const recognitionOf = (services: Services) => ({ ...services, createJob: openCreateJob(services) });

const speechJobsOf = (services: Services, speaking: { ownVoices: OwnVoices }) =>
  openCreateSpeechJob({ ...services, ...speaking });

const publicPlanOf = ({ http, plan }: Config) => (http.publicCatalogue ? plan : null);

/** What sessions of live sound are opened with. */
function listeningOf({ accounts, vadStreams, live, turnDetector, ...services }: Services) {
  const { budget, meter, clock, tracing, log, metrics } = services;
  return { accounts, vadStreams, live, turnDetector, budget, meter, clock, tracing, log, metrics };
}

const conversingOf = (services: Services, ownVoices: OwnVoices): ConversationDeps => ({
  ...{ synthesizer: services.synthesizer, pronunciations: services.pronunciations, ownVoices },
  metrics: services.metrics,
  assistants: openAssistants({ ...services.upstreams, conversations: services.conversations }),
});

function ownHealth(services: Services, callerOf: CallerOf, draining: AbortSignal) {
  const { catalogue, runsHere, clock, accounts, disk, descriptors, packageRequests } = services;
  return healthRoutes({
    ...{ catalogue, runsHere, callerOf, clock, draining },
    databaseAnswers: () => accounts.answers(),
    ...{ hasSpace: disk.hasSpace, hasDescriptors: descriptors.areFree },
    awaitedPackages: packageRequests.awaited,
  });
}

/** What the management API reads of them. */
function managementParts(
  services: Services,
  build: () => string | null,
): Parameters<typeof managementRoutes>[0] {
  const { config, address, accounts, identity, billing, vouchers, ledger, limits, catalogue, cluster } =
    services;
  const { aliases, prices, conversations, upstreams, upstreamAdmin, upstreamOperations, registry, pulls } =
    services;
  const { packageRequests, pronunciations, voices, consents, metrics, machines, sharedActivity } = services;
  const { serverUsers, webhooks, spendAlerts, alertRecipients, files, jobs, speechJobs } = services;
  const { clock, log, audit, auditReads, wyoming, sellingTests } = services;
  const backup = openBackup(config);
  return {
    ...{ config, address, accounts, identity, billing, vouchers, ledger, limits, catalogue, cluster },
    ...{ aliases, prices, conversations, upstreams, upstreamAdmin, upstreamOperations, registry, pulls },
    ...{ packageRequests, pronunciations, voices, consents, metrics, machines, sharedActivity },
    ...{ serverUsers, webhooks, spendAlerts, alertRecipients, files, jobs, speechJobs },
    ...{ clock, log, audit, auditReads, wyoming, sellingTests, build, backup },
  };
}

/** Unless they have a port of their own. */
function ownMetrics({ config, metrics }: Services, callerOf: CallerOf) {
  const { port, token } = config.metrics;
  return port === null ? metricsRoute({ metrics, token, callerOf }) : new Elysia();
}

/** /v1/batches: many transcriptions, translations or texts to speak from a file of lines, as OpenAI's clients make, read and cancel them. */
import type { Elysia } from "elysia";
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
import type { Principal } from "../../../accounts/principal.ts";
import { BATCH_STATUSES } from "../../../batch-statuses.ts";
import { batchRecord } from "../../../batches/batch-record.ts";
import { BATCH_ENDPOINTS, type Batches } from "../../../batches/batches.ts";
import type { Clock } from "../../../clock.ts";
import type { BatchRow } from "../../../db/queries/batch-rows.ts";
import { invalidInput } from "../../../errors.ts";
import type { BodyTimeouts } from "../../middleware/body/body.ts";
import type { CallerOf } from "../../middleware/caller.ts";
import { BackgroundFields, backgroundFaults } from "../background-fields.ts";
import { lacksScope, openKeyAccess, servedByKey } from "../organization/key-access.ts";
import { type KeyedCall, type KeyedRoute, keyedRoute, noSuch } from "../organization/keyed-route.ts";
import { listOf, PAGED, pageOf } from "../organization/listing.ts";
import { nullable, Time } from "../organization/records.ts";

type BatchRoutesDeps = {
  accounts: Pick<Accounts, "authenticate">;
  batches: Batches;
  callerOf: CallerOf;
  /** The client's address. */
  clientOf: (request: Request) => string | null;
  timeouts: BodyTimeouts;
  clock: Clock;
};

const ABOUT =
  "Needs an API key with the scope `transcription:create` or `speech:create`, that of the lines to create one, and is about the batches of its project. Not metered; 600 requests a minute of an organization.";

export function batchRoutes({ accounts, batches, clientOf, clock, ...deps }: BatchRoutesDeps): Elysia {
  const access = openKeyAccess(
    { authenticate: accounts.authenticate, clock, clientOf },
    ["transcription:create", "speech:create"],
    "use batches",
  );
  return servedByKey({ ...deps, access, prefix: "/v1", about: ABOUT, tag: "Jobs" }, routesOf(batches));
}

const Fault = Type.Object({
  code: Type.String(),
  message: Type.String(),
  line: nullable(Type.Integer({ description: "From 1." })),
  param: nullable(Type.String()),
});

const BatchRecord = Type.Object({
  id: Type.String(),
  object: Type.Literal("batch"),
  endpoint: Type.Enum([...BATCH_ENDPOINTS]),
  model: Type.Null({ description: "Each line names its own." }),
  completion_window: Type.Literal("24h"),
  status: Type.Enum([...BATCH_STATUSES]),
  errors: nullable(Type.Object({ object: Type.Literal("list"), data: Type.Array(Fault) })),
  input_file_id: Type.String(),
  output_file_id: nullable(Type.String({ description: "Of the lines that succeeded, kept for 30 days." })),
  error_file_id: nullable(Type.String({ description: "Of the lines that did not." })),
  ...{ created_at: Time, in_progress_at: nullable(Time), expires_at: Time, finalizing_at: nullable(Time) },
  ...{ completed_at: nullable(Time), failed_at: nullable(Time), expired_at: nullable(Time) },
  ...{ cancelling_at: nullable(Time), cancelled_at: nullable(Time) },
  request_counts: Type.Object({
    total: Type.Integer(),
    completed: Type.Integer(),
    failed: Type.Integer(),
  }),
  metadata: Type.Record(Type.String(), Type.String()),
});

const ONE = "/batches/:batch";

function routesOf(batches: Batches): KeyedRoute<Principal>[] {
  /** The batch of the path; another project's is as one that does not exist. */
  const own = async ({
    principal,
    ids,
  }: Pick<KeyedCall<Principal>, "principal" | "ids">): Promise<BatchRow> => {
    const batch = await batches.find(principal, ids.batch!);
    if (batch === null) throw noSuch("batch");
    return batch;
  };
  return [
    keyedRoute({
      ...{ method: "POST", path: "/batches", id: "createBatch", reply: BatchRecord },
      summary: "Create a batch of the lines of a file, each of which becomes a job",
      refusals: ["too_many_jobs", "not_found", "file_too_large"],
      body: Type.Object({
        input_file_id: Type.String({
          ...{
            pattern: "^[\\w.-]{1,100}$",
            description: "A file of the project with the purpose batch: JSON lines.",
          },
        }),
        endpoint: Type.Enum([...BATCH_ENDPOINTS], { description: "Of each line." }),
        completion_window: Type.Enum(["24h"], { description: "What has not ended then is cancelled." }),
        metadata: BackgroundFields.metadata,
      }),
      async handle({ principal, body }) {
        const { endpoint, input_file_id: inputFileId, metadata = {} } = body;
        const faults = backgroundFaults({ metadata });
        if (faults.length > 0) throw invalidInput(faults);
        const scope = endpoint === "/v1/audio/speech" ? "speech:create" : "transcription:create";
        if (!principal.scopes.has(scope)) throw lacksScope([scope]);
        return batchRecord(await batches.create(principal, { endpoint, inputFileId, metadata }));
      },
    }),
    keyedRoute({
      ...{ method: "GET", path: "/batches", id: "listBatches", reply: listOf(BatchRecord) },
      summary: "List batches, the newest first",
      query: Type.Object(PAGED),
      handle: ({ principal, query }) =>
        pageOf(query, async (place) => (await batches.list(principal, place)).map(batchRecord)),
    }),
    keyedRoute({
      ...{ method: "GET", path: ONE, id: "getBatch", reply: BatchRecord },
      summary: "Get a batch",
      handle: async (call: KeyedCall<Principal>) => batchRecord(await own(call)),
    }),
    keyedRoute({
      ...{ method: "POST", path: `${ONE}/cancel`, id: "cancelBatch", reply: BatchRecord },
      summary: "Cancel what a batch has not done; one that has ended stays as it is",
      handle: async (call: KeyedCall<Principal>) => batchRecord(await batches.cancel(await own(call))),
    }),
  ];
}

/**
 * POST /v1/auth/grant and GET /v1/projects as Deepgram has them: a token that stands for the key for a short time, and the
 * project of the key. A grant counts as one request of the rate limit; neither costs anything.
 */
import { Elysia } from "elysia";
import Type from "typebox";
import { grantOf } from "../../../accounts/grants.ts";
import { isClientSecret } from "../../../accounts/secret.ts";
import { unixSeconds } from "../../../clock.ts";
import { invalidInput, Refusal, unavailableOnError } from "../../../errors.ts";
import { checker } from "../../../schema.ts";
import { readJson } from "../../middleware/body/body.ts";
import { rateLimitHeaders } from "../../middleware/response-headers.ts";
import type { DialectServices } from "../dialect.ts";
import { deepgramSecret } from "./deepgram-key.ts";

type AccountDeps = Pick<DialectServices, "access" | "accounts" | "meter" | "timeouts" | "clock">;

const TTL_SECONDS = 30;
const body = checker(Type.Object({ ttl_seconds: Type.Optional(Type.Number({ minimum: 1, maximum: 3600 })) }));

/** What a token is for. */
const GRANTED = ["speech:create", "transcription:create", "realtime:connect"] as const;

const HIDDEN = { detail: { hide: true } } as const;

export function deepgramAccount({ access, accounts, meter, timeouts, clock }: AccountDeps) {
  const projectOf = async (request: Request) => {
    const { projectId } = await access(request, null);
    const project = await unavailableOnError("The accounts", accounts.project(projectId));
    return { project_id: projectId, name: project?.name ?? "" };
  };
  return new Elysia()
    .post(
      "/deepgram/v1/auth/grant",
      async ({ request, set }) => {
        const principal = await access(request, null);
        if (isClientSecret(deepgramSecret(request.headers))) throw notByTokens();
        await meter.takeRequest(principal, (states) => Object.assign(set.headers, rateLimitHeaders(states)));
        const { value, details } = body.check(await readJson(request, timeouts, { whenEmpty: {} }));
        if (details !== null) throw invalidInput(details);
        const seconds = Math.ceil(value.ttl_seconds ?? TTL_SECONDS);
        const session = grantOf(GRANTED);
        const minted = await accounts.mintClientSecret({ keyId: principal.keyId, session, seconds });
        return { access_token: minted.secret, expires_in: minted.expiresAt - unixSeconds(clock) };
      },
      { parse: "none", ...HIDDEN },
    )
    .get("/deepgram/v1/projects", async ({ request }) => ({ projects: [await projectOf(request)] }), HIDDEN)
    .get(
      "/deepgram/v1/projects/:project",
      async ({ request, params }) => {
        const project = await projectOf(request);
        if (project.project_id === params.project) return project;
        throw new Refusal("not_found", `There is no project ${params.project.slice(0, 256)}.`);
      },
      HIDDEN,
    );
}

const notByTokens = () =>
  new Refusal("insufficient_scope", "A token cannot grant others: send the API key itself.");

/** Promise: every route answers exactly the fields of its schema. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TSchema } from "typebox";
import { checker } from "../../../src/schema.ts";
import { errorOf } from "../../harness.ts";
import { openStripe, type StripeServer } from "../../stripe/server.ts";
import { currentBodyOf } from "./current-body.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";
import { STORES } from "./stores.ts";
import { filled, hooked, openTenancy, ROUTES, type Tenancy } from "./tenancy.ts";
import { storedSpeech } from "./tenancy-jobs.ts";

describe.each(STORES)("%s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  /** Of packages there is none here: what is told of one, the list of them tells too. */
  const MISSING = [
    "POST /api/operator/models/:package/pull",
    "DELETE /api/operator/models/:package/pull",
    "DELETE /api/operator/models/:package",
  ];

  /** Its token is in a mail: test/api/management/mail-of-alerts.test.ts reads one. */
  const ANSWER = "POST /api/mail-of-alerts";

  /** With the id of no key: test/api/management/wyoming.test.ts opens a port. */
  const OPEN = "PUT /api/operator/wyoming";

  /** Without a payment at Stripe: the contract of billing refunds one. */
  const UNPAID = "POST /api/operator/organizations/:tenant/top-ups/:topUp/refund";

  /** PostgreSQL has tools of its own. */
  const BACKUP = "POST /api/operator/backup";

  /** Of the only owner: its own test does it. */
  const LEAVE = "POST /api/account/delete";

  let fixture: Fixture;
  let tenancy: Tenancy;
  let operator: Person;
  let stripe: StripeServer;
  let weights: string;
  beforeAll(async () => {
    weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
    const webhookSecret = "whsec_of_the_tests";
    stripe = await openStripe({ webhookSecret });
    store = await openStore();
    const environment = {
      ...store.environment,
      LOQUAT_WEIGHTS: weights,
      STRIPE_SECRET_KEY: stripe.key,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_URL: stripe.url,
    };
    fixture = await openFixture({ environment });
    tenancy = await openTenancy(fixture, "Loquat");
    operator = await fixture.operator("operator");
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await stripe[Symbol.asyncDispose]();
    rmSync(weights, { recursive: true });
  });

  /** What a route ends or changes is made for it. */
  async function fresh(name: string): Promise<Record<string, string>> {
    const { accounts } = fixture.parts;
    const project = await accounts.createProject(tenancy.organization, `Project ${Math.random()}`);
    const made = { projectId: project.id, name: "Key", environment: "test", expiresAt: null } as const;
    const key = await accounts.createKey({ ...made, scopes: ["catalog:read"] });
    const person = await fixture.waiting(`p${key.id.slice(-8)}`);
    const organizationId = name.includes("/api/operator/") ? null : tenancy.organization;
    const owner = { organizationId: tenancy.organization, projectId: project.id, keyId: key.id };
    const spoken = name.endsWith("/speech") ? { job: (await storedSpeech(fixture, owner)).id } : {};
    const hook = name.includes("/webhooks") ? await hooked(fixture, { organizationId, name: "Fresh" }) : {};
    return {
      ...tenancy.ids,
      ...hook,
      ...spoken,
      project: project.id,
      key: key.id,
      person,
      package: "nothing-of-that-name",
    };
  }

  test.each(ROUTES)("the response of %s matches its schema", async (name, route) => {
    const who = route.needs === "operator" ? operator : tenancy.users.owner;
    const body = await currentBodyOf(fixture, tenancy, [name, route]);
    const response = await who.ask(filled(name, await fresh(name)), body);
    if (name === UNPAID) return expect((await errorOf(response)).code).toBe("top_up_not_paid");
    if (name === OPEN) return expect((await errorOf(response)).code).toBe("validation_error");
    if (name === ANSWER) return expect((await errorOf(response)).code).toBe("invalid_token");
    if (name === LEAVE) return expect((await errorOf(response)).code).toBe("last_owner");
    if (/webhooks.*test$/.test(name))
      return expect((await errorOf(response)).code).toBe("service_unavailable"); // its secret cannot be read
    if (MISSING.includes(name)) return expect((await errorOf(response)).code).toBe("not_found");
    if (route.redirects) {
      expect(response.status).toBe(302);
      return expect(response.headers.get("location")).toBe("https://pay.example/Loquat/receipt");
    }
    if (name === BACKUP && fixture.parts.config.data.url !== null)
      return expect((await errorOf(response)).code).toBe("not_found");
    if (route.download) {
      expect(response.headers.get("content-disposition")).toStartWith("attachment; ");
      return expect(await response.text()).not.toBe("");
    }
    expect(response.status).toBe(route.reply ? (route.status ?? 200) : 204);
    if (!route.reply) return expect(await response.text()).toBe("");
    expect(checker(exactly(route.reply)).check(await response.json()).details).toBeNull();
  });

  test("a field that is not in the schema is detected", () => {
    const [, { reply }] = ROUTES.find(([name]) => name === "GET /api/organizations")!;
    const row = { object: "list", data: [], has_more: false, next_cursor: null };
    expect(checker(exactly(reply!)).check(row).details).toBeNull();
    expect(checker(exactly(reply!)).check({ ...row, secret: 1 }).details).not.toBeNull();
    expect(checker(exactly(reply!)).check({ ...row, data: [{}] }).details).not.toBeNull();
  });

  /** The same schema, whose objects take no other fields. */
  function exactly(schema: TSchema): TSchema {
    const copy = JSON.parse(JSON.stringify(schema));
    const close = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      if ("properties" in node) Object.assign(node, { additionalProperties: false });
      for (const child of Object.values(node)) close(child);
    };
    close(copy);
    return copy;
  }
});

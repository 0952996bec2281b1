/**
 * Promise: a user outside an organization can read and change nothing of it, by any route.
 *
 * The routes come from the schemas of the management API and of signing in, so that a new route is tested or fails here.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ROUTES as AUTH } from "../../../src/identity/routes/offered-routes.ts";
import { errorOf } from "../../harness.ts";
import { everyRow } from "./every-row.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";
import { STORES } from "./stores.ts";
import { bodyOf, filled, openTenancy, queryOf, ROUTES, type Tenancy } from "./tenancy.ts";

describe.each(STORES)("%s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  let fixture: Fixture;
  let victim: Tenancy;
  let tenancy: Tenancy;
  let outsider: Person;
  let everything: string;
  beforeAll(async () => {
    store = await openStore();
    fixture = await openFixture({ environment: store.environment });
    victim = await openTenancy(fixture, "Verborgen");
    tenancy = await openTenancy(fixture, "Somebody");
    outsider = tenancy.users.owner;
    everything = await rowsOf(victim);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  const isMember = ([, { needs }]: (typeof ROUTES)[number]) => ["member", "admin", "owner"].includes(needs);

  /** Every row that says anything of an organization. */
  async function rowsOf({ secrets }: Tenancy): Promise<string> {
    const rows = await everyRow(fixture);
    return rows
      .filter((row) => /verborgen/i.test(row) || secrets.some((secret) => row.includes(secret)))
      .join("\n");
  }

  /** The text of an answer, in which nothing of the victim stands, and after which nothing of theirs is different. */
  async function harmless(response: Response): Promise<string> {
    const text = `${JSON.stringify([...response.headers])} ${await response.clone().text()}`;
    expect(victim.secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(text).not.toMatch(/verborgen/i);
    expect(await rowsOf(victim)).toBe(everything);
    return text;
  }

  test("every table with an owner has rows to isolate", () => {
    const tables =
      "apiKey billingAccount creditAccount creditGrant invitation member organization project pronunciation";
    for (const table of `${tables} requestLog session topUp usageEvent usageTotal user voice`.split(" "))
      expect(everything).toContain(`${table} {`);
  });

  describe("the ids of another organization", () => {
    test.each(ROUTES.filter(isMember))("are not found by %s", async (name, route) => {
      const query = queryOf(name, route, victim);
      const response = await outsider.ask(`${filled(name, victim.ids)}?${query}`, bodyOf(name, route));
      await harmless(response);
      expect(await errorOf(response)).toMatchObject({ status: 404, code: "not_found" });
    });

    test.each(ROUTES.filter(isMember))(
      "get the same response from %s as ids that do not exist",
      async (name, route) => {
        const nowhere = Object.fromEntries(
          Object.entries(victim.ids).map(([kind, id]) => [kind, `${id.slice(0, -3)}zzz`]),
        );
        const ask = async (ids: Record<string, string>) => {
          const { request_id: _, ...error } = await errorOf(
            await outsider.ask(filled(name, ids), bodyOf(name, route)),
          );
          return error;
        };
        expect(await ask(victim.ids)).toEqual(await ask(nowhere));
      },
    );

    const nested = ROUTES.filter(([name, { needs }]) => name.split(":").length > 2 && needs !== "operator");
    test.each(nested)("are not found by %s inside the caller's own organization", async (name, route) => {
      const ids = { ...victim.ids, organization: tenancy.organization };
      const response = await outsider.ask(filled(name, ids), bodyOf(name, route));
      await harmless(response);
      expect(await errorOf(response)).toMatchObject({ status: 404, code: "not_found" });
    });

    const names = (query: unknown) => Object.keys((query as { properties: object }).properties);
    const asked = ROUTES.filter(
      ([, { query, needs }]) =>
        query &&
        needs !== "operator" &&
        names(query).some((field) => !["limit", "cursor", "status"].includes(field)),
    );
    test.each(asked)("give no rows in the query of %s", async (name, route) => {
      const response = await outsider.ask(`${filled(name, tenancy.ids)}?${queryOf(name, route, victim)}`);
      expect(response.status).toBe(200);
      const text = await response.clone().text();
      expect(route.download ? text : JSON.parse(text).data).toEqual(route.download ? "" : []);
      await harmless(response);
    });

    const paged = ROUTES.filter(
      ([, { query, needs }]) =>
        needs !== "operator" && "cursor" in ((query as { properties?: object })?.properties ?? {}),
    );
    test.each(paged)("give a cursor that %s refuses", async (name) => {
      const response = await outsider.ask(
        `${filled(name, tenancy.ids)}?limit=1&cursor=${victim.cursors[name]}`,
      );
      await harmless(response);
      expect(await errorOf(response)).toMatchObject({ status: 400, code: "invalid_cursor" });
    });

    test.each(ROUTES.filter(([, { needs }]) => needs === "operator"))(
      "do not open %s, which is refused",
      async (name, route) => {
        const response = await outsider.ask(filled(name, victim.ids), bodyOf(name, route));
        await harmless(response);
        expect(await errorOf(response)).toMatchObject({ status: 403, code: "operator_required" });
      },
    );

    test.each(ROUTES.filter(([, { needs }]) => needs === "user" || needs === "anyone"))(
      "appear in no response of %s",
      async (name, route) => {
        const response = await outsider.ask(filled(name, victim.ids), bodyOf(name, route));
        // of the only owner, and with a token that was not mailed
        const isRefused = ["POST /api/account/delete", "POST /api/mail-of-alerts"].includes(name);
        expect(response.ok).toBe(!isRefused);
        await harmless(response);
      },
    );
  });

  describe("members and invitations of another organization", () => {
    /** What a field of these routes is filled with. */
    const fields: Record<string, () => string> = {
      organizationId: () => victim.organization,
      memberId: () => victim.ids.seat!,
      memberIdOrEmail: () => victim.ids.seat!,
      invitationId: () => victim.ids.invitation!,
      id: () => victim.ids.invitation!,
      email: () => "taken@example.com",
      role: () => "owner",
      keys: () => "revoke",
    };
    const routes = Object.entries(AUTH).filter(([path]) => path.startsWith("organization/"));
    test.each(routes)("are not found by %s", async (path, route) => {
      const ids = Object.fromEntries(
        Object.keys(route.fields).map((field) => {
          const value = fields[field];
          if (!value)
            throw new Error(`${path} has a field ${field} that this test does not know: add it to fields`);
          return [field, value()];
        }),
      );
      const where = `/api/auth/${path}`;
      const response =
        route.method === "GET"
          ? await outsider.ask(`GET ${where}?${new URLSearchParams(ids)}`)
          : await outsider.ask(`POST ${where}`, ids);
      await harmless(response);
      if (Object.keys(ids).length === 0) expect(await response.json()).toEqual([]);
      else expect(await errorOf(response)).toMatchObject({ status: 404, code: "not_found" });
    });

    test("cannot be reached through the caller's own organization", async () => {
      const organizationId = tenancy.organization;
      for (const memberIdOrEmail of [victim.ids.seat, victim.users.member.email]) {
        const response = await outsider.ask("POST /api/auth/organization/remove-member", {
          organizationId,
          memberIdOrEmail,
        });
        await harmless(response);
        expect((await errorOf(response)).status).toBe(404);
      }
    });
  });
});

/**
 * Promise: operators find everybody on the server, let in who waits for a mail that is not sent, and give a link to who
 * forgot a password; other people cannot.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import type { userRoutes } from "../../../src/api/management/schema/user-routes.ts";
import { errorOf } from "../../harness.ts";
import { anonymous, forgetAttempts, PASSWORD, signIn } from "./people.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";
import { STORES } from "./stores.ts";

type Users = ReplyOf<(typeof userRoutes)["GET /api/operator/users"]>;
type Link = ReplyOf<(typeof userRoutes)["POST /api/operator/users/:person/password-link"]>;

describe.each(STORES)("%s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  let fixture: Fixture;
  let operator: Person;
  let organization: string;
  let ada: Person;

  beforeAll(async () => {
    store = await openStore();
    fixture = await openFixture({ environment: store.environment });
    operator = await fixture.operator("Root");
    ({ id: organization } = await fixture.parts.accounts.createOrganization("Home"));
    ada = await fixture.person("Ada", { organizationId: organization, role: "member" });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  const list = (query = "") => operator.get<Users>(`GET /api/operator/users?${query}`);
  const namesOf = ({ data }: Users) => data.map(({ name }) => name);

  test("are listed with their organizations, found by name and address, and read page by page", async () => {
    const [found] = (await list("search=ada%40example")).data;
    expect(found).toMatchObject({
      ...{ id: ada.id, email: ada.email, email_verified: true, operator: false },
      ...{ organizations: [{ id: organization, name: "Home", role: "member" }], seen_at: expect.any(Number) },
    });
    expect(namesOf(await list("search=roo"))).toEqual(["Root"]);
    expect(namesOf(await list("search=%25"))).toContain("Ada");
    expect(namesOf(await list("search=nobody"))).toEqual([]);
    const first = await list("limit=1");
    const second = await list(`limit=1&cursor=${first.next_cursor}`);
    expect(second.data[0]!.id < first.data[0]!.id).toBe(true);
  });

  test("who has signed up is approved, and can then sign in", async () => {
    const id = await fixture.waiting("Grandma");
    expect((await list("status=pending")).data.map((user) => user.id)).toEqual([id]);
    const early = anonymous(fixture, "grandma@example.com");
    const credentials = { email: early.email, password: PASSWORD };
    expect((await early.auth("sign-in/email", credentials)).status).toBe(403);
    expect((await operator.ask(`POST /api/operator/users/${id}/approve`)).status).toBe(204);
    await signIn(fixture, "grandma@example.com");
    expect(namesOf(await list("status=pending"))).toEqual([]);
    const again = await errorOf(await operator.ask(`POST /api/operator/users/${id}/approve`));
    expect(again).toMatchObject({ status: 404, code: "not_found" });
  });

  test("an approved person without an invitation owns an organization, with its starting credit once", async () => {
    const id = await fixture.waiting("Customer");
    await operator.ask(`POST /api/operator/users/${id}/approve`);
    const [{ organizations }] = (await list("search=customer")).data as [Users["data"][number]];
    expect(organizations).toMatchObject([{ role: "owner" }]);
    const { balanceMicros } = await fixture.parts.ledger.credit(organizations[0]!.id);
    expect(balanceMicros).toBe(5_000_000);
  });

  test("a person who waits is removed, and no other", async () => {
    const id = await fixture.waiting("Stranger");
    expect((await operator.ask(`DELETE /api/operator/users/${id}`)).status).toBe(204);
    expect(namesOf(await list("search=stranger"))).toEqual([]);
    expect((await errorOf(await operator.ask(`DELETE /api/operator/users/${ada.id}`))).status).toBe(404);
    expect((await ada.ask("GET /api/session")).status).toBe(200);
  });

  test("a password link sets a new password once, and ends all sessions", async () => {
    const person = await fixture.person("Forgetful");
    const { url } = await operator.get<Link>(`POST /api/operator/users/${person.id}/password-link`);
    const token = new URL(url).searchParams.get("token")!;
    const reset = (newPassword: string) => anonymous(fixture).auth("reset-password", { token, newPassword });
    expect((await reset("another battery staple")).status).toBe(200);
    expect((await errorOf(await person.ask("GET /api/session"))).status).toBe(401);
    await forgetAttempts(fixture);
    const back = anonymous(fixture, person.email);
    const credentials = { email: person.email, password: "another battery staple" };
    expect((await back.auth("sign-in/email", credentials)).status).toBe(200);
    expect((await reset("a third battery staple")).status).toBe(400);
  });

  test("a password link ends after an hour", async () => {
    const person = await fixture.person("Late");
    const { url, expires_at } = await operator.get<Link>(
      `POST /api/operator/users/${person.id}/password-link`,
    );
    expect(expires_at).toBe(Math.floor(fixture.clock.now() / 1000) + 3600);
    const { query, tables } = fixture.parts.database;
    await query.update(tables.verification).set({ expiresAt: new Date(Date.now() - 1) });
    const token = new URL(url).searchParams.get("token")!;
    const late = await anonymous(fixture).auth("reset-password", { token, newPassword: PASSWORD });
    expect(late.status).toBe(400);
  });

  test("who may sign up is chosen, and holds at once", async () => {
    const choose = (policy: string) => operator.ask("PUT /api/operator/sign-up", { policy });
    const signUp = async (name: string) => {
      await forgetAttempts(fixture);
      const account = { name, email: `${name}@example.com`, password: PASSWORD };
      return (await anonymous(fixture).auth("sign-up/email", account)).status;
    };
    expect(await operator.get("GET /api/operator/sign-up")).toMatchObject({
      ...{ policy: "open", is_configured: false },
    });
    expect(await signUp("early")).toBe(200);
    for (const policy of ["closed", "invited"]) {
      expect((await choose(policy)).status).toBe(200);
      expect(await signUp(`late-${policy}`)).toBe(403);
      expect(await anonymous(fixture).json("/api/installation")).toMatchObject({ sign_up: policy });
    }
    expect((await errorOf(await choose("everybody"))).status).toBe(422);
    expect((await choose("open")).status).toBe(200);
    expect(await signUp("again")).toBe(200);
  });

  test("a policy of the configuration cannot be changed", async () => {
    const environment = { LOQUAT_SIGN_UP: "invited" };
    await using configured = await openFixture({ environment });
    const its = await configured.operator("Other");
    expect(await its.get("GET /api/operator/sign-up")).toMatchObject({
      ...{ policy: "invited", is_configured: true },
    });
    const refused = await errorOf(await its.ask("PUT /api/operator/sign-up", { policy: "open" }));
    expect(refused).toMatchObject({ status: 422, code: "validation_error" });
  });

  test("a link for an unknown person is refused", async () => {
    const refused = await errorOf(
      await operator.ask("POST /api/operator/users/user_000000000000000000000000/password-link"),
    );
    expect(refused).toMatchObject({ status: 404, code: "not_found" });
  });
});

/** Promise: every route of the organization API refuses all but an admin key that has its scope. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ADMIN_SCOPES } from "../../../../src/scopes.ts";
import { errorOf } from "../../../harness.ts";
import { type AdminFixture, openAdminFixture } from "./admin-fixture.ts";
import { ADMIN_TABLE } from "./admin-table.ts";

let server: AdminFixture;
beforeAll(async () => {
  server = await openAdminFixture();
});
afterAll(() => server[Symbol.asyncDispose]());

describe.each(Object.entries(ADMIN_TABLE))("%s", (name, { admin }) => {
  const codeOf = async (headers: Record<string, string>) => {
    const [method, path] = name.replace(/:\w+/g, "none_1").split(" ") as [string, string];
    const body = method === "POST" ? { body: "{}" } : {};
    return (await errorOf(await fetch(server.url + path, { method, headers, ...body }))).code;
  };

  test("is refused without an admin key, and to one that lacks its scope", async () => {
    const { cookie, csrf } = server.owner;
    expect(await codeOf({})).toBe("missing_api_key");
    expect(await codeOf({ cookie, "x-csrf-token": csrf })).toBe("missing_api_key");
    const withKey = (key: string) => codeOf({ authorization: `Bearer ${key}` });
    expect(await withKey(`sk_admin_${"x".repeat(43)}`)).toBe("invalid_api_key");
    expect(await withKey(server.key)).toBe("insufficient_scope");
    const scopes = ADMIN_SCOPES.filter((scope) => scope !== admin);
    expect(await withKey((await server.newAdminKey({ scopes })).secret)).toBe("insufficient_scope");
  });
});

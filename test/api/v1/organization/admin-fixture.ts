/** What tests of the organization API stand on: a server, an owner, admin keys of two organizations, and stock clients. */
import type { OpenAI } from "openai";
import type { NewAdminKey } from "../../../../src/accounts/admin-keys.ts";
import { ADMIN_SCOPES } from "../../../../src/scopes.ts";
import { errorOf, type HarnessOptions } from "../../../harness.ts";
import { type Fixture, openFixture, type Person } from "../../management/server-fixture.ts";

export type AdminFixture = Fixture & {
  owner: Person;
  /** An admin key of the organization with every scope, made by the owner. */
  adminKey: string;
  /** Another organization with an owner and an admin key. */
  other: { id: string; owner: Person; adminKey: string };
  newAdminKey(parts?: Partial<NewAdminKey>): Promise<{ id: string; secret: string }>;
  /** By a method and a path below /v1/organization. */
  admin(route: string, body?: unknown, key?: string): Promise<Response>;
  /** The JSON of a success. */
  adminGet<T = Record<string, unknown>>(route: string, body?: unknown, key?: string): Promise<T>;
  refused(route: string, body?: unknown, key?: string): Promise<{ status: number; code: string }>;
};

export async function openAdminFixture(options: HarnessOptions = {}): Promise<AdminFixture> {
  const fixture = await openFixture(options);
  const { accounts } = fixture.parts;
  const { organizationId } = fixture;
  const owner = await fixture.person("Olive", { organizationId, role: "owner" });
  const newAdminKey = (parts: Partial<NewAdminKey> = {}) =>
    accounts.createAdminKey({
      ...{ organizationId, name: "Reports", scopes: ADMIN_SCOPES, expiresAt: null, createdBy: owner.id },
      ...parts,
    });
  const adminKey = (await newAdminKey()).secret;
  const { id } = await accounts.createOrganization("Other");
  const others = await fixture.person("Otto", { organizationId: id, role: "owner" });
  const theirs = (await newAdminKey({ organizationId: id, createdBy: others.id })).secret;
  const admin = (route: string, body?: unknown, key = adminKey) => {
    const [method, path] = route.split(" ") as [string, string];
    return fetch(`${fixture.url}/v1/organization${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };
  return Object.assign(fixture, {
    ...{ owner, adminKey, newAdminKey, admin },
    other: { id, owner: others, adminKey: theirs },
    async adminGet<T>(route: string, body?: unknown, key?: string) {
      const response = await admin(route, body, key);
      const text = await response.text();
      if (!response.ok) throw new Error(`${route}: ${response.status} ${text}`);
      return JSON.parse(text) as T;
    },
    async refused(route: string, body?: unknown, key?: string) {
      return errorOf(await admin(route, body, key));
    },
  });
}

/** Every item of a list, page by page. */
export async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

/** The status that a stock client's call is refused with; null: it is not. */
export const statusOf = (call: PromiseLike<unknown>): Promise<number | null> =>
  Promise.resolve(call).then(
    () => null,
    (error: { status: number }) => error.status,
  );

/** The stock clients that have the organization API: today's, and the oldest. */
export async function stockClients(url: string, adminAPIKey: string): Promise<[string, OpenAI][]> {
  const options = { baseURL: `${url}/v1`, adminAPIKey, maxRetries: 0 };
  const [today, oldest] = [await import("openai"), await import("openai-6")];
  return [
    ["7", new today.OpenAI(options)],
    ["6.49", new oldest.OpenAI(options) as unknown as OpenAI],
  ];
}

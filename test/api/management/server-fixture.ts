/** What tests of the management API stand on: a server, and people who are signed in to it. */
import { expect } from "bun:test";
import type { Role } from "../../../src/accounts/memberships.ts";
import { openHashing } from "../../../src/identity/password-hashing.ts";
import { newId } from "../../../src/ids.ts";
import type { RequestLog } from "../../../src/ledger/booking/write.ts";
import { type Harness, type HarnessOptions, QUICK_COST } from "../../harness.ts";
import { openAccountsHarness, PASSWORD, signIn } from "./people.ts";

export type Person = {
  id: string;
  email: string;
  cookie: string;
  csrf: string;
  /** Asks as they do in the dashboard; the body goes as JSON. */
  ask(route: string, body?: unknown): Promise<Response>;
  /** The JSON of an answer that must be a success. */
  get<T = Record<string, unknown>>(route: string, body?: unknown): Promise<T>;
};

export type Fixture = Harness & {
  /** A signed-in user, with a role in an organization. */
  person(name: string, seat?: { organizationId: string; role: Role }): Promise<Person>;
  operator(name: string): Promise<Person>;
  /** Someone who has signed up, and whose address is not verified: their id. */
  waiting(name: string): Promise<string>;
  /** A request that an organization made, charged or not. */
  request(fields: Partial<RequestLog> & { charged?: number }): Promise<RequestLog>;
};

export async function openFixture(options: HarnessOptions = {}): Promise<Fixture> {
  const harness = await openAccountsHarness(options);
  const { clock, parts, url } = harness;
  const { user, credential, member } = parts.database.tables;
  const { query } = parts.database;
  const times = () => ({ createdAt: new Date(clock.now()), updatedAt: new Date(clock.now()) });
  const password = await openHashing(QUICK_COST).hash(PASSWORD);

  async function account(name: string, has: { operator: boolean; emailVerified: boolean }) {
    const [id, email] = [newId("user", clock), `${name.toLowerCase()}@example.com`];
    await query.insert(user).values({ id, name, email, ...has, ...times() });
    const access = { id: newId("cred", clock), userId: id, accountId: id, providerId: "credential" };
    await query.insert(credential).values({ ...access, password, ...times() });
    return { id, email };
  }

  async function signedIn(name: string, operator: boolean): Promise<Person> {
    const { id, email } = await account(name, { operator, emailVerified: true });
    const cookie = (await signIn(harness, email)).cookie();
    const { get } = asking(url, { cookie });
    const { csrf_token: csrf } = await get<{ csrf_token: string }>("GET /api/session");
    return { id, email, cookie, csrf, ...asking(url, { cookie, "x-csrf-token": csrf }) };
  }

  const people: Omit<Fixture, keyof Harness> = {
    async person(name, seat) {
      const made = await signedIn(name, false);
      const row = { id: newId("mem", clock), userId: made.id, createdAt: times().createdAt };
      if (seat) await query.insert(member).values({ ...row, ...seat });
      return made;
    },
    operator: (name) => signedIn(name, true),
    waiting: async (name) => (await account(name, { operator: false, emailVerified: false })).id,
    request: (fields) => logRequest(harness, fields),
  };
  return Object.assign(harness, people);
}

export function asking(url: string, headers: Record<string, string>): Pick<Person, "ask" | "get"> {
  const ask = (route: string, body?: unknown) => {
    const [method, path] = route.split(" ") as [string, string];
    return fetch(url + path, {
      method,
      headers: { origin: url, "content-type": "application/json", ...headers },
      redirect: "manual",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };
  return {
    ask,
    async get<T>(route: string, body?: unknown) {
      const response = await ask(route, body);
      const text = await response.text();
      expect({ route, refused: response.ok ? null : text }).toEqual({ route, refused: null });
      return JSON.parse(text) as T;
    },
  };
}

async function logRequest(
  { parts, clock, organizationId }: Harness,
  { charged = 0, ...fields }: Partial<RequestLog> & { charged?: number },
): Promise<RequestLog> {
  const of = fields.organizationId ?? organizationId;
  const project = (await parts.accounts.defaultProject(of))!;
  const row: RequestLog = {
    id: newId("req", clock),
    createdAt: Math.floor(clock.now() / 1000),
    durationMs: 412,
    firstByteMs: 80,
    endpoint: "/v1/audio/speech",
    method: "POST",
    status: 200,
    errorCode: null,
    errorMessage: null,
    organizationId: of,
    projectId: project.id,
    keyId: "key_of_nobody",
    environment: "live",
    model: "svc-tts1",
    voice: "female-warm",
    stream: true,
    responseFormat: "pcm",
    characters: 44,
    audioSeconds: 3.5,
    ...{ responses: null, inputTokens: null, outputTokens: null },
    costMicros: charged,
    ip: "203.0.113.7",
    userAgent: "test",
    replayOf: null,
    endUser: null,
    label: null,
    ...{ language: null, finalTextMs: null },
    ...fields,
  };
  if (charged > 0) {
    await parts.ledger.charge({
      id: `${row.id}.0`,
      requestId: row.id,
      organizationId: of,
      projectId: row.projectId,
      keyId: row.keyId,
      environment: row.environment,
      plan: "prepaid",
      endpoint: row.endpoint,
      model: row.model ?? "",
      unit: "character",
      quantity: row.characters ?? 0,
      priceMicros: 15_000_000,
      costMicros: charged,
      createdAt: row.createdAt,
    });
  }
  await parts.ledger.log(row);
  return row;
}

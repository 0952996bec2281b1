/** People in front of a harness: they sign up, verify, sign in, and ask with their cookie as a browser would. */
import { expect } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorOf, type Harness, type HarnessOptions, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";

export const PASSWORD = "correct horse battery";

export type Person = {
  email: string;
  userId: string;
  /** The cookie that the browser holds, as `svc_session_MARK=…`; empty without a session. */
  cookie(): string;
  /** Asks the management API: a body is sent as JSON, by POST unless `init` says otherwise. */
  ask(path: string, body?: object, init?: RequestInit): Promise<Response>;
  /** One of the routes under /api/auth. */
  auth(path: string, body?: object, init?: RequestInit): Promise<Response>;
  /** The JSON of a route that must answer well. */
  json<T = Record<string, unknown>>(path: string, body?: object, init?: RequestInit): Promise<T>;
};

/** A harness whose clock is the real time's, for people's sessions are. */
export const openAccountsHarness = (options: HarnessOptions = {}): Promise<Harness> =>
  openHarness({ startMs: Date.now(), ...options });

/** A client without a session. */
export function anonymous({ url }: Harness, email = "nobody@example.com"): Person {
  let cookie = "";
  let challenge = ""; // of a sign-in that lacks its code
  let csrf: string | null = null;
  const send = async (path: string, body?: object, init: RequestInit = {}) => {
    const method = init.method ?? (body ? "POST" : "GET");
    const headers = new Headers(init.headers);
    if (!headers.has("origin") && method !== "GET") headers.set("origin", url);
    const cookies = [cookie, challenge].filter((each) => each !== "");
    if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
    if (body) headers.set("content-type", "application/json");
    if (csrf !== null && method !== "GET") headers.set("x-csrf-token", csrf);
    const response = await fetch(url + path, {
      ...init,
      ...{ method, headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const setCookie = response.headers.getSetCookie().find((each) => each.startsWith("svc_session_"));
    const asked = response.headers.getSetCookie().find((each) => each.startsWith("svc_two_factor_"));
    if (asked) challenge = /Max-Age=0/i.test(asked) ? "" : asked.split(";")[0]!;
    if (setCookie) {
      cookie = /Max-Age=0/i.test(setCookie) ? "" : setCookie.split(";")[0]!;
      csrf = null;
    }
    return response;
  };
  const person: Person = {
    email,
    userId: "",
    cookie: () => cookie,
    async ask(path, body, init) {
      const method = init?.method ?? (body ? "POST" : "GET");
      if (method !== "GET" && csrf === null && cookie !== "")
        csrf = ((await (await send("/api/session")).json()) as { csrf_token: string }).csrf_token;
      return send(path, body, init);
    },
    auth: (path, body, init) => person.ask(`/api/auth/${path}`, body, init),
    async json<T>(path: string, body?: object, init?: RequestInit) {
      const response = await person.ask(path, body, init);
      const text = await response.text();
      expect({ path, refused: response.ok ? null : text }).toEqual({ path, refused: null });
      return (text === "" ? undefined : JSON.parse(text)) as T;
    },
  };
  return person;
}

/** Signs up and, by the mailed link, in. */
export const signUp = (harness: Harness, email: string, fields: Record<string, string> = {}) =>
  signUpByLink(harness, { email, ...fields }, () => mailedLink(harness, email));

/** Signs up, and in by the link that `linkOf` finds in the mail. */
export async function signUpByLink(
  harness: Harness,
  {
    email,
    name = email.split("@")[0]!,
    password = PASSWORD,
    ...more
  }: { email: string } & Record<string, string>,
  linkOf: () => Promise<URL>,
): Promise<Person> {
  const person = anonymous(harness, email);
  await forgetAttempts(harness);
  const signed = await person.json<{ user: { id: string } }>("/api/auth/sign-up/email", {
    ...{ email, name, password },
    ...more,
  });
  await verify(person, await linkOf(), { password });
  return Object.assign(person, { userId: signed.user.id });
}

/** One attempt to sign in, by a browser without cookies. */
export const signInWith = (harness: Harness, body: object, init: RequestInit = {}) =>
  anonymous(harness).auth("sign-in/email", body, init);

/** The status and the code of a refusal, as "403 csrf_failed". */
export async function refusalOf(response: Response | Promise<Response>): Promise<string> {
  const { status, code } = await errorOf(await response);
  return `${status} ${code}`;
}

/** Follows the link that proves an address, and gives the password of signing up. */
export const verify = (person: Person, link: URL, fields: object = { password: PASSWORD }) =>
  person.json("/api/auth/verify-email", { token: link.searchParams.get("token"), ...fields });

export async function signIn(harness: Harness, email: string, password = PASSWORD): Promise<Person> {
  const person = anonymous(harness, email);
  await forgetAttempts(harness);
  const { user } = await person.json<{ user: { id: string } }>("/api/auth/sign-in/email", {
    email,
    password,
  });
  return Object.assign(person, { userId: user.id });
}

/** An invitation by one user, accepted by another. */
export async function invite(
  inviter: Person,
  invited: Person,
  seat: { organizationId: string; role: string },
) {
  const { id } = await inviter.json<{ id: string }>("/api/auth/organization/invite-member", {
    ...seat,
    email: invited.email,
  });
  await invited.json("/api/auth/organization/accept-invitation", { invitationId: id });
}

/** All the tests of a file come from one address. */
export async function forgetAttempts({ parts: { database } }: Harness): Promise<void> {
  await database.query.delete(database.tables.attempt);
}

/** Mails that a harness without SMTP wrote to an address, oldest first. */
export function letters({ parts }: Harness, email: string) {
  const folder = join(parts.config.data.folder, "mail");
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const written = files.map((file) => ({ at: statSync(file).mtimeMs, message: readFileSync(file, "utf8") }));
  return written
    .sort((one, other) => one.at - other.at)
    .filter(({ message }) => message.startsWith(`To: ${email}\n`))
    .map(({ message }) => ({
      subject: /(?<=^Subject: ).*/m.exec(message)![0],
      text: message.slice(message.indexOf("\n\n") + 2),
    }));
}

/** The link of the last mail to an address, as soon as it is written. */
export async function mailedLink(harness: Harness, email: string, page = "verify"): Promise<URL> {
  return until(() => {
    const links = letters(harness, email).flatMap(({ text }) => /https?:\/\/\S+/.exec(text) ?? []);
    return links.map((each) => new URL(each)).findLast(({ pathname }) => pathname.endsWith(`/${page}`));
  });
}

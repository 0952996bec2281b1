/** Promise: sign-in admits verified users, limits attempts, and does not reveal which addresses have accounts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorOf, type Harness } from "../../harness.ts";
import { until } from "../../until.ts";
import { type MailServer, openMailServer } from "./mail-server.ts";
import {
  anonymous,
  forgetAttempts,
  openAccountsHarness,
  PASSWORD,
  type Person,
  refusalOf,
  signInWith,
  signUp,
} from "./people.ts";
import type { Postbox } from "./smtp.ts";

let server: MailServer;
let post: Postbox;
let harness: Harness;
let bob: Person;
beforeAll(async () => {
  server = await openMailServer();
  ({ post, harness } = server);
  bob = await server.arrive("bob@example.com");
});
afterAll(() => server[Symbol.asyncDispose]());

describe("an address without an account", () => {
  test("is refused like a wrong password", async () => {
    await forgetAttempts(harness);
    const wrong = await errorOf(await signInWith(harness, { email: bob.email, password: "wrong password" }));
    const nobody = await errorOf(
      await signInWith(harness, { email: "no@example.com", password: "wrong password" }),
    );
    expect({ ...wrong, request_id: "" }).toEqual({ ...nobody, request_id: "" });
    expect(wrong.code).toBe("invalid_credentials");
  });

  test("and an unverified one differ only for the right password", async () => {
    await forgetAttempts(harness);
    const email = "una@example.com";
    await anonymous(harness).auth("sign-up/email", { email, name: "Una", password: PASSWORD });
    expect(await refusalOf(signInWith(harness, { email, password: "wrong password" }))).toBe(
      "401 invalid_credentials",
    );
    expect(await refusalOf(signInWith(harness, { email, password: PASSWORD }))).toBe(
      "403 email_not_verified",
    );
  });

  test.each(["request-password-reset", "send-verification-email"])(
    "gets the same response from %s as one with an account, and no sooner",
    async (path) => {
      await forgetAttempts(harness);
      const asked = await Promise.all(
        [bob.email, "una@example.com", "no@example.com"].map(async (email) => {
          const begun = performance.now();
          const response = await anonymous(harness).auth(path, { email });
          return { status: response.status, body: await response.text(), ms: performance.now() - begun };
        }),
      );
      expect(new Set(asked.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
      expect(asked.filter(({ ms }) => ms < 500)).toEqual([]);
    },
  );

  test("takes no less time to sign up than one with an account", async () => {
    await forgetAttempts(harness);
    const begun = performance.now();
    const ended = await Promise.all(
      [bob.email, "new@example.com"].map(async (email) => {
        const body = { email, name: "Somebody", password: PASSWORD };
        expect((await anonymous(harness).auth("sign-up/email", body)).status).toBe(200);
        return performance.now() - begun;
      }),
    );
    expect(ended.filter((ms) => ms < 500)).toEqual([]);
  });

  test("a hanging mail server delays no request, and its error is logged without the message", async () => {
    using hanging = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    await using slow = await openAccountsHarness({
      environment: { SMTP_URL: `smtp://127.0.0.1:${hanging.port}` },
    });
    const hasFailed = () => slow.logged.some(({ event }) => event === "mail_failed");
    const body = { email: "kim@example.com", name: "Kim", password: PASSWORD };
    expect((await anonymous(slow).auth("sign-up/email", body)).status).toBe(200);
    expect(hasFailed()).toBe(false);
    hanging.stop(true);
    await until(hasFailed);
    expect(JSON.stringify(slow.logged)).not.toContain("kim@example.com");
  });
});

describe("mailed links", () => {
  test("point to this server, whatever the request says", async () => {
    await forgetAttempts(harness);
    const headers = {
      ...{ host: "evil.example", "content-type": "application/json" },
      ...{ "x-forwarded-host": "evil.example", "x-forwarded-proto": "https", forwarded: "host=evil.example" },
    };
    post.received.length = 0;
    const body = JSON.stringify({ email: bob.email, redirectTo: "https://evil.example/reset" });
    const asked = await fetch(`${harness.url}/api/auth/request-password-reset`, {
      method: "POST",
      headers,
      body,
    });
    expect(asked.status).toBe(200);
    const { whole } = await post.take(bob.email, "Reset your password");
    expect(whole).toContain(`${harness.url}/reset?token=`);
    expect(whole).not.toContain("evil");
  });

  test("for a new password expire after an hour", async () => {
    await forgetAttempts(harness);
    await anonymous(harness).json("/api/auth/request-password-reset", { email: bob.email });
    const link = await post.link(bob.email, "Reset your password");
    const { query, tables } = harness.parts.database;
    await query.update(tables.verification).set({ expiresAt: new Date(Date.now() - 1000) });
    const body = { token: link.searchParams.get("token")!, newPassword: "never a password" };
    expect(await refusalOf(anonymous(harness).auth("reset-password", body))).toBe("400 invalid_token");
  });

  test("verify once, and only unmodified", async () => {
    await forgetAttempts(harness);
    const email = "vic@example.com";
    const vic = anonymous(harness, email);
    await vic.auth("sign-up/email", { email, name: "Vic", password: PASSWORD });
    const token = (await post.link(email)).searchParams.get("token")!;
    const follow = (text: string) =>
      anonymous(harness).auth("verify-email", { token: text, password: PASSWORD });
    const [head, payload, signature] = token.split(".") as [string, string, string];
    const { iat, exp } = JSON.parse(Buffer.from(payload, "base64url").toString());
    expect(exp - iat).toBe(86_400);
    const other = Buffer.from(JSON.stringify({ email: bob.email, exp: 4e9 })).toString("base64url");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    for (const forged of [`${head}.${other}.${signature}`, `${none}.${payload}.`, "x", `${token}x`])
      expect(await refusalOf(follow(forged))).toBe("400 invalid_token");
    expect((await follow(token)).headers.get("set-cookie")).toMatch(/svc_session_[0-9a-f]{8}=/);
    expect(await refusalOf(follow(token))).toBe("400 invalid_token");
  });
});

describe("sign-up", () => {
  const email = (name: string, domain = "example.com") => `${name}@${domain}`;
  const ask = (to: Harness, address: string) =>
    anonymous(to).auth("sign-up/email", { email: address, name: "N", password: PASSWORD });

  test("sign-up is refused for all when closed", async () => {
    await using closed = await openAccountsHarness({ environment: { LOQUAT_SIGN_UP: "closed" } });
    expect(await refusalOf(ask(closed, email("ann")))).toBe("403 sign_up_closed");
  });

  test("by invitation admits the first user and the invited addresses", async () => {
    await using by = await openAccountsHarness({
      environment: { LOQUAT_SIGN_UP: "invited", LOQUAT_SIGN_UP_DOMAINS: "example.com" },
    });
    expect(await refusalOf(ask(by, email("first", "elsewhere.example")))).toBe("403 sign_up_closed");
    const first = await signUp(by, email("first"));
    expect(await refusalOf(ask(by, email("second")))).toBe("403 sign_up_closed");
    expect(await refusalOf(ask(by, email("first")))).toBe("403 sign_up_closed");
    await first.json("/api/auth/organization/invite-member", {
      ...{ organizationId: by.organizationId, email: email("Third", "elsewhere.example"), role: "member" },
    });
    await forgetAttempts(by);
    expect((await ask(by, email("third", "elsewhere.example"))).status).toBe(200);
  });

  test("by domain admits the addresses of that domain", async () => {
    await using of = await openAccountsHarness({ environment: { LOQUAT_SIGN_UP_DOMAINS: "example.com" } });
    expect(await refusalOf(ask(of, email("ann", "example.com.evil.example")))).toBe("403 sign_up_closed");
    expect((await ask(of, email("ann", "EXAMPLE.com"))).status).toBe(200);
  });
});

test("no log has an address, a password, a token or a cookie", () => {
  const logged = JSON.stringify(harness.logged);
  expect(harness.logged.length).toBeGreaterThan(5);
  expect(/@example\.com|correct horse|wrong password|svc_session|eyJ/.exec(logged)?.[0]).toBeUndefined();
});

describe("behind a trusted proxy", () => {
  test("each client has its own attempts, and a forwarded address set by the client is ignored", async () => {
    await using proxied = await openAccountsHarness({ environment: { LOQUAT_PROXIES: "127.0.0.1" } });
    const tryFrom = async (forwarded: string) => {
      const body = { email: "nobody@example.com", password: "wrong password" };
      const init = { headers: { "x-forwarded-for": forwarded } };
      return (await anonymous(proxied).auth("sign-in/email", body, init)).status;
    };
    for (let attempt = 0; attempt < 10; attempt++)
      expect(await tryFrom(`1.2.3.${attempt}, 203.0.113.7`)).toBe(401);
    expect(await tryFrom("1.2.3.4, 203.0.113.7")).toBe(429);
    expect(await tryFrom("203.0.113.8")).toBe(401);
  });
});

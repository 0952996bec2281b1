/** Promise: what an operator tries of a server that sells is bounded, and a failure is told in the words of the other side. */
import { expect, test } from "bun:test";
import { openSellingTests } from "../../src/billing/selling-tests.ts";
import { Refusal } from "../../src/errors.ts";

const ROOT = { id: "user_1", email: "root@example.com" };

type Deps = Parameters<typeof openSellingTests>[0];
const opened = (parts: Partial<Deps>) =>
  openSellingTests({
    ...{ sendTest: null, firstOrganization: async () => "org_1", url: null },
    billing: { startTopUp: () => Promise.reject(new Error("not expected")) },
    attempts: { refuse: async () => {} },
    ...parts,
  });

test("an operator is told what is not set up", async () => {
  const tested = opened({ firstOrganization: async () => null });
  const all = await Promise.all((["mail", "payments", "address"] as const).map((need) => tested(need, ROOT)));
  expect(all.map(({ isMet, message }) => [isMet, message])).toEqual([
    [false, "No mail server is configured: set SMTP_URL."],
    [false, "The server has no organization yet."],
    [false, "LOQUAT_URL is no https address."],
  ]);
});

test("an address that does not answer fails with the reason", async () => {
  const tested = await opened({ url: "https://127.0.0.1:1" })("address", ROOT);
  expect(tested).toMatchObject({ isMet: false, url: null });
  expect(tested.message).not.toBe("");
});

test("the answer of Stripe is told, which customers never read", async () => {
  const cause = new Error("Invalid API Key provided: sk_live_****abcd");
  const refusal = new Refusal("service_unavailable", "The payment service cannot be reached.", { cause });
  const tested = opened({ billing: { startTopUp: () => Promise.reject(refusal) } });
  expect((await tested("payments", ROOT)).message).toBe(cause.message);
});

test("too many tests are refused, and try nothing", async () => {
  let sent = 0;
  const refuse = () =>
    Promise.reject(new Refusal("rate_limit_exceeded", "Try again later.", { retryAfterSeconds: 60 }));
  const tested = opened({ attempts: { refuse }, sendTest: async () => void sent++ });
  expect(await tested("mail", ROOT).catch((error) => error.code)).toBe("rate_limit_exceeded");
  expect(sent).toBe(0);
});

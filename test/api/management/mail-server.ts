/** A server that sends its mail through an SMTP server of the test, and sign-up by the links in that mail. */
import type { Harness } from "../../harness.ts";
import { openAccountsHarness, type Person, signUpByLink } from "./people.ts";
import { openPostbox, type Postbox } from "./smtp.ts";

export type MailServer = AsyncDisposable & {
  post: Postbox;
  harness: Harness;
  /** Signs up and verifies by the link that the SMTP server received. */
  arrive(email: string): Promise<Person>;
};

export async function openMailServer(): Promise<MailServer> {
  const post = await openPostbox();
  const harness = await openAccountsHarness({
    environment: { SMTP_URL: post.url, MAIL_FROM: "Loquat <mail@example.org>" },
  });
  return {
    post,
    harness,
    arrive: (email) => signUpByLink(harness, { email, name: "Somebody" }, () => post.link(email)),
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await post[Symbol.asyncDispose]();
    },
  };
}

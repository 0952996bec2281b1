/** Where the link of the first mail leads: it proves an address, signs in, and goes on. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Invited } from "../account/invitations.tsx";
import { auth } from "../api/server.ts";
import { Field, Form } from "../parts/form.tsx";
import { Failure } from "../parts/page.tsx";
import { Door } from "./door.tsx";
import { WhereMailIs } from "./mail.tsx";

export function Verify() {
  const token = useSearchParams()[0].get("token") ?? "";
  const verified = useQuery<string, Error>({
    queryKey: ["verify", token],
    queryFn: () => verify(token),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (verified.data) location.replace(verified.data);
  }, [verified.data]);
  if (verified.error)
    return (
      <Door title="This link does not work">
        <Failure error={verified.error} />
        <NewLink />
        <p>
          <Link href="/sign-in">Back to sign in</Link>
        </p>
      </Door>
    );
  return (
    <Door title="Verifying your address">
      <p role="status">{verified.data ? "Verified. Going on …" : "One moment …"}</p>
    </Door>
  );
}

/** Answers where to go on: to an invitation that waits, where there is one. */
async function verify(token: string): Promise<string> {
  await auth(`verify-email?token=${encodeURIComponent(token)}`);
  // whoever was verified before is not signed in by it, and has none to see
  const invitations = await auth<Invited[]>("organization/list-user-invitations").catch(() => []);
  const [first] = invitations;
  return first ? `/invitation?id=${encodeURIComponent(first.id)}` : "/";
}

function NewLink() {
  const [sentTo, setSentTo] = useState("");
  async function send({ email = "" }: { email?: string }) {
    await auth("send-verification-email", { email });
    setSentTo(email);
  }
  if (sentTo)
    return (
      <>
        <p role="status">If {sentTo} is still to be verified, a new link was sent to it.</p>
        <WhereMailIs />
      </>
    );
  return (
    <Form onSubmit={send} submit="Send a new link">
      <Field name="email" label="E-mail" type="email" autoComplete="username" required />
    </Form>
  );
}

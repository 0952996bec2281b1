/**
 * Where the link of the first mail leads: it proves an address. The link alone signs nobody in, for somebody else may have
 * signed up with the address: it takes the password of signing up, or another in its place.
 */
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Invited } from "../account/invitations.tsx";
import { SESSION, useRead } from "../lib/queries.ts";
import { auth, ServerError } from "../lib/server.ts";
import { Button } from "../ui/button.tsx";
import { Field, Form } from "../ui/form.tsx";
import { Notice } from "../ui/page.tsx";
import { addressIn } from "./address.ts";
import { Door } from "./auth-layout.tsx";
import { WhereMailIs } from "./mail.tsx";
import { Password } from "./password.tsx";

export function Verify() {
  const token = useSearchParams()[0].get("token") ?? "";
  const [isDead, setDead] = useState(false);
  const email = addressIn(token);
  if (email === null || isDead) return <NewLink />;
  return (
    <Door title="Verify your address">
      <SignedInElse email={email} />
      <Prove email={email} token={token} onDead={() => setDead(true)} />
    </Door>
  );
}

/** A link that somebody else sent must not make them who this browser is without a word. */
function SignedInElse({ email }: { email: string }) {
  const { data: session } = useRead(SESSION, {});
  if (!session || session.user.email === email) return null;
  return (
    <Notice tone="warn">
      <p>
        You are signed in as {session.user.email}. Verifying this address signs you in as{" "}
        <strong>{email}</strong> instead. If you did not make an account with it, close this page.
      </p>
    </Notice>
  );
}

type ProveProps = { email: string; token: string; onDead: () => void };

function Prove({ email, token, onDead }: ProveProps) {
  const [isChoosing, setChoosing] = useState(false);
  async function prove({ password, newPassword }: { password?: string; newPassword?: string }) {
    try {
      await auth("verify-email", { token, ...(isChoosing ? { newPassword } : { password }) });
    } catch (error) {
      if (error instanceof ServerError && error.code === "invalid_token") return onDead();
      throw error;
    }
    const [first] = await auth<Invited[]>("organization/list-user-invitations").catch(() => []);
    location.assign(first ? `/invitation?id=${encodeURIComponent(first.id)}` : "/");
  }
  return (
    <>
      <p>
        {isChoosing
          ? "The password that was chosen at signing up is replaced."
          : "Give the password that you chose when you signed up."}
      </p>
      <Form onSubmit={prove} submit="Verify and sign in">
        <Field name="email" label="E-mail" type="email" value={email} autoComplete="username" readOnly />
        {isChoosing ? (
          <Password key="new" name="newPassword" label="New password" isNew />
        ) : (
          <Password key="own" name="password" label="Password" />
        )}
      </Form>
      <p>
        <Button kind="quiet" onClick={() => setChoosing(!isChoosing)}>
          {isChoosing ? "I know the password" : "I do not know it: choose another"}
        </Button>
      </p>
    </>
  );
}

function NewLink() {
  const [sentTo, setSentTo] = useState("");
  async function send({ email = "" }: { email?: string }) {
    await auth("send-verification-email", { email });
    setSentTo(email);
  }
  return (
    <Door title="This link does not work">
      {sentTo ? (
        <>
          <p role="status">If {sentTo} is still to be verified, a new link was sent to it.</p>
          <WhereMailIs />
        </>
      ) : (
        <>
          <p>It was used, has expired, or is incomplete. If you have verified the address, sign in.</p>
          <Form onSubmit={send} submit="Send a new link">
            <Field name="email" label="E-mail" type="email" autoComplete="username" required />
          </Form>
        </>
      )}
      <p>
        <Link href="/sign-in">Back to sign in</Link>
      </p>
    </Door>
  );
}

/** In place of pages that open with a second factor only: the way to one. */
import { useSession } from "../api/session.ts";
import { LinkButton } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { Layout } from "./layout.tsx";

export function FactorNeeded() {
  const { provider } = useSession();
  return (
    <Layout organization={null}>
      <Page title="Second factor required">
        {provider === null ? (
          <>
            <p>This page opens for people with a second factor only. Set one up on your account page.</p>
            <p>
              <LinkButton href="/account" kind="primary">
                Go to your account
              </LinkButton>
            </p>
          </>
        ) : (
          <p>
            This page opens for people with a second factor only, and your provider says that you signed in
            with one factor. Sign out, and sign in there with both.
          </p>
        )}
      </Page>
    </Layout>
  );
}

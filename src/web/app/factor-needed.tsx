/** In place of pages that open with a second factor only: the way to one. */

import { useSession } from "../api/session.ts";
import { frameTexts } from "../language/en/frame.ts";
import { LinkButton } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { Layout } from "./layout.tsx";

export function FactorNeeded() {
  const { provider } = useSession();
  const t = frameTexts();
  return (
    <Layout organization={null} isTranslated>
      <Page title={t("factorTitle")}>
        {provider === null ? (
          <>
            <p>{t("factorText")}</p>
            <p>
              <LinkButton href="/account" kind="primary">
                {t("toAccount")}
              </LinkButton>
            </p>
          </>
        ) : (
          <p>{t("factorElsewhere")}</p>
        )}
      </Page>
    </Layout>
  );
}

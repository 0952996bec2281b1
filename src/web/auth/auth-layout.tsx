/** The layout of the pages for signed-out users. */

import type { ReactNode } from "react";
import { useTitle } from "../browser/title.ts";
import { signInTexts } from "../language/en/sign-in.ts";
import { PageLanguage } from "../ui/form/page-language.tsx";
import { Mark } from "../ui/icon.tsx";

export function AuthLayout({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <main className="auth">
      <p className="mark">
        <Mark size={30} /> Loquat
      </p>
      <h1>{title}</h1>
      <p className="tagline">{signInTexts()("tagline", { host: location.host })}</p>
      {children}
      <footer>
        <PageLanguage />
      </footer>
    </main>
  );
}

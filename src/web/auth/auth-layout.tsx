/** The layout of the pages for signed-out users. */
import type { ReactNode } from "react";
import { useTitle } from "../lib/title.ts";
import "../style/auth.css";

export function AuthLayout({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <main className="auth">
      <p className="mark">Loquat</p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}

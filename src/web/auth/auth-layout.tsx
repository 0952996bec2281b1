/** The layout of the pages for signed-out users. */
import { type ReactNode, useEffect } from "react";
import "../style/auth.css";

export function AuthLayout({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Loquat`;
  }, [title]);
  return (
    <main className="auth">
      <p className="mark">Loquat</p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}

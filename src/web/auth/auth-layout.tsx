/** The frame of a page for somebody who is not signed in. */
import { type ReactNode, useEffect } from "react";
import "../style/auth.css";

export function Door({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Loquat`;
  }, [title]);
  return (
    <main className="door">
      <p className="mark">Loquat</p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}

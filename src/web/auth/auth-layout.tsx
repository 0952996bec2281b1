/** The layout of the pages for signed-out users. */
import type { ReactNode } from "react";
import { useTitle } from "../browser/title.ts";
import { Mark } from "../ui/icon.tsx";

export function AuthLayout({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <main className="auth">
      <p className="mark">
        <Mark size={30} /> Loquat
      </p>
      <h1>{title}</h1>
      <p className="tagline">Text to speech and transcription on {location.host}</p>
      {children}
    </main>
  );
}

/** The building blocks of pages: headings, cards, figures, badges and notices. */
import { type ReactNode, useId } from "react";
import { useTitle } from "../browser/title.ts";
import { Icon } from "./icon.tsx";

type PageProps = { title: string; actions?: ReactNode; children: ReactNode };

export function Page({ title, actions, children }: PageProps) {
  useTitle(title);
  return (
    <>
      <header className="page">
        <h1>{title}</h1>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

type CardProps = { title: string; actions?: ReactNode; className?: string; children: ReactNode };

export function Card({ title, actions, className, children }: CardProps) {
  const id = useId();
  return (
    <section className={className ? `card ${className}` : "card"} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** A number with its name and an explanation. */
export function Figure({ name, value, hint }: { name: string; value: ReactNode; hint?: ReactNode }) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        {hint && <small>{hint}</small>}
      </dd>
    </div>
  );
}

export function Figures({ children }: { children: ReactNode }) {
  return <dl className="figures">{children}</dl>;
}

type Tone = "good" | "warn" | "bad" | "plain";

export function Badge({ tone = "plain", children }: { tone?: Tone | "info"; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

export function Notice({ tone = "plain", children }: { tone?: Tone; children: ReactNode }) {
  return (
    <div className={`notice ${tone}`} role={tone === "bad" ? "alert" : "status"}>
      <Icon name={tone} />
      {children}
    </div>
  );
}

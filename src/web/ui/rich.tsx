/** What the tags of a text become: `<b>`, `<code>` and `<link>`. */
import type { ReactNode } from "react";
import { Link } from "wouter";

/** Names and addresses of others, which have their own direction. */
export const bold = (content: ReactNode) => <strong dir="auto">{content}</strong>;

/** Commands and identifiers run from left to right. */
export const code = (content: ReactNode) => <code dir="ltr">{content}</code>;

export const linkTo = (href: string) => (content: ReactNode) => <Link href={href}>{content}</Link>;

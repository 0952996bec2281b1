/** Who is signed in, and which organization they are looking at. Whoever is not is sent to sign in, and back again. */
import { createContext, type ReactNode, useContext } from "react";
import { Redirect, useLocation, useSearch } from "wouter";
import { Failure } from "../ui/page.tsx";
import { answers, SESSION, useRead } from "./queries.ts";
import { auth, keepCsrfToken, type Reply } from "./server.ts";

export type Session = Reply<"GET /api/session">;
export type Membership = Session["organizations"][number];

const Signed = createContext<Session | null>(null);
const Here = createContext<Membership | null>(null);

export function SignedIn({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  const search = useSearch();
  const session = useRead(SESSION, {});
  if (session.error?.code === "not_signed_in") {
    const here = search ? `${path}?${search}` : path;
    return <Redirect to={`/sign-in?next=${encodeURIComponent(here)}`} replace />;
  }
  if (session.error) return <Failure error={session.error} again={() => void session.refetch()} />;
  if (!session.data)
    return (
      <p className="loading" role="status">
        Loading …
      </p>
    );
  keepCsrfToken(session.data.csrf_token);
  return <Signed value={session.data}>{children}</Signed>;
}

export function useSession(): Session {
  return useContext(Signed)!;
}

/** The organization of the address; whoever does not belong to it learns nothing of it. */
export function InOrganization({ id, children }: { id: string; children: ReactNode }) {
  const found = useSession().organizations.find((each) => each.id === id);
  if (!found) return <Redirect to="/" replace />;
  return <Here value={found}>{children}</Here>;
}

export function useOrganization(): Membership {
  return useContext(Here)!;
}

/** May whoever is signed in do what this role does? */
export function useMay(role: "owner" | "admin"): boolean {
  const own = useOrganization().role;
  return own === "owner" || (role === "admin" && own === "admin");
}

export async function signOut(): Promise<void> {
  await auth("sign-out", {});
  answers.clear();
  location.assign("/sign-in");
}

/**
 * The cookies of this installation among those of others: browsers send the cookies of a host to all its ports, so that two
 * servers on one host would sign each other's users out. Their names end in a mark of the installation, here at the edge:
 *
 *   browser   svc_session_1a2b3c4d=…   <──────>   svc_session=…   the identity
 *
 * A cookie of earlier versions, without the mark, is taken where there is none with it.
 */
import { createHmac } from "node:crypto";
import type { Identity } from "./identity.ts";
import { once } from "./once.ts";
import { cookiesOf } from "./routes/cookies.ts";
import { accountsOrUnavailable } from "./routes/library-errors.ts";

const OWN = /^svc_(?:session|state|two_factor|device)(?==)/;
const MARK_LENGTH = 8;

/** `secret`: that of the installation's sessions, which all its nodes share. */
export function withInstallationCookies(identity: Identity, secret: () => Promise<string>): Identity {
  const mark = once(async () =>
    createHmac("sha256", await secret())
      .update("cookies")
      .digest("hex")
      .slice(0, MARK_LENGTH),
  );
  /** Changes the request: what handles it later reads its cookies too. */
  const receive = async ({ headers }: Pick<Request, "headers">): Promise<void> => {
    const cookies = cookiesOf(headers);
    if (!cookies.some((each) => each.startsWith("svc_"))) return;
    headers.set("cookie", received(cookies, `_${await accountsOrUnavailable(mark())}=`).join("; "));
  };
  const sent = async (cookie: string) =>
    OWN.test(cookie) ? cookie.replace("=", `_${await accountsOrUnavailable(mark())}=`) : cookie;
  return {
    ...identity,
    async session(headers) {
      const copy = new Headers({ cookie: headers.get("cookie") ?? "" });
      await receive({ headers: copy });
      return identity.session(copy);
    },
    async enter(request, person, ip) {
      await receive(request);
      const cookie = await identity.enter(request, person, ip);
      return cookie === null ? null : sent(cookie);
    },
    async handle(request, ip, readBody) {
      await receive(request);
      const response = await identity.handle(request, ip, readBody);
      const cookies = await Promise.all(response.headers.getSetCookie().map(sent));
      response.headers.delete("set-cookie");
      for (const cookie of cookies) response.headers.append("set-cookie", cookie);
      return response;
    },
  };
}

/** `ending`: of the names of our own. */
function received(cookies: readonly string[], ending: string): string[] {
  const own = cookies.flatMap((each) => {
    const [name = ""] = each.split("=", 1);
    const plain = each.replace(ending, "=");
    return `${name}=`.endsWith(ending) && OWN.test(plain) ? [plain] : [];
  });
  const names = new Set(own.map((each) => each.split("=", 1)[0]));
  const others = cookies.filter((each) => !names.has(each.split("=", 1)[0]) && !each.includes(ending));
  return [...own, ...others];
}

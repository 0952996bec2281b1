/**
 * The mail that accounts need, and the door to nodemailer. Nobody waits for it, and nobody learns whether it arrived:
 * how long an answer takes must not tell whether an address is known here.
 *
 * Without a server for it, each message becomes a file that the operator reads.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { createTransport, type SendMailOptions } from "nodemailer";
import type { Clock } from "../clock.ts";
import type { IdentityConfig, Secret } from "../config.ts";
import { newId } from "../ids.ts";
import type { Log } from "../log.ts";

const TIMEOUT_MS = 10_000;
const SWEEP_EVERY_MS = 3_600_000;
const KEPT_MS = 30 * 86_400_000;

/** What is written to whom. `link` is where its one button leads. */
type Letter = { to: string; subject: string; lines: string[]; button: string; link: string };

/** Every letter there is. None throws, none is waited for. */
export type Mail = {
  verify(to: string, token: string): void;
  /** To whoever signed up with an address that has an account. */
  known(to: string): void;
  reset(to: string, token: string): void;
  invite(to: string, invitation: { id: string; organization: string; inviter: string }): void;
  /** To an owner whose organization's card is not charged by itself any more. */
  rechargeStopped(to: string, stopped: { organizationId: string; why: "refunded" | "disputed" }): void;
};

type MailParts = {
  config: Pick<IdentityConfig, "smtp" | "from">;
  folder: string;
  /** Links lead to where this server was told that it is, never to where a request says. */
  origin: () => string;
  clock: Clock;
  log: Log;
};

/** No name that a stranger chose stands in a letter, but for an organization's in an invitation, and of that only words. */
export function openMail(parts: MailParts): Mail {
  const send = sender(parts);
  const link = (page: string, query: Record<string, string> = {}) => {
    const search = new URLSearchParams(query).toString();
    return `${parts.origin()}/${page}${search && `?${search}`}`;
  };
  return {
    verify: (to, token) =>
      send({
        to,
        subject: "Verify your e-mail address",
        lines: [
          "Somebody made a Loquat account with this address. If it was you, verify the address within 24 hours, with the password that you chose.",
          "If it was not you, do nothing: without this link nobody can use the account.",
        ],
        button: "Verify the address",
        link: link("verify", { token }),
      }),
    known: (to) =>
      send({
        to,
        subject: "You already have an account",
        lines: [
          "Somebody tried to make a Loquat account with this address, which has one already.",
          "If it was you, sign in. If you forgot the password, you can choose another there.",
        ],
        button: "Sign in",
        link: link("sign-in"),
      }),
    reset: (to, token) =>
      send({
        to,
        subject: "Choose another password",
        lines: [
          "Somebody asked for another password for the Loquat account of this address.",
          "If it was you, choose one within an hour. Every session of the account ends with it.",
          "If it was not you, do nothing.",
        ],
        button: "Choose another password",
        link: link("reset", { token }),
      }),
    invite: (to, { id, organization, inviter }) =>
      send({
        to,
        subject: "You are invited to an organization",
        lines: [
          `${inviter} invites you to the organization "${plain(organization)}" on Loquat. The invitation holds for 7 days.`,
          "If you do not know who that is, do nothing.",
        ],
        button: "See the invitation",
        link: link("invitation", { id }),
      }),
    ...billingLetters(send, link),
  };
}

const NAME_MAX = 60;

/** What no mail program makes a link of. */
const plain = (name: string): string =>
  name
    .slice(0, NAME_MAX)
    .replace(/[^\p{L}\p{M}\p{N}&'()-]+/gu, " ")
    .trim();

type Link = (page: string) => string;

const billingLetters = (send: (letter: Letter) => void, link: Link): Pick<Mail, "rechargeStopped"> => ({
  rechargeStopped: (to, { organizationId, why }) =>
    send({
      to,
      subject: "Auto-recharge was switched off",
      lines: [
        `A payment of your organization was ${why}, and its credit was taken back.`,
        "So that the card is not charged for that again, auto-recharge was switched off. It stays off until an owner switches it on.",
      ],
      button: "See billing",
      link: link(`orgs/${organizationId}/billing`),
    }),
});

function sender({ config: { smtp, from }, ...parts }: MailParts): (letter: Letter) => void {
  const deliver = smtp ? bySmtp(smtp) : toFolder(parts);
  return (letter) => {
    deliver(messageOf(letter, from)).catch((error: Error & { code?: string; responseCode?: number }) => {
      const { code = null, responseCode = null } = error;
      parts.log.error("mail was not sent", { reason: code, answer: responseCode });
    });
  };
}

type Deliver = (message: Message) => Promise<unknown>;

function bySmtp(smtp: Secret): Deliver {
  const transport = createTransport({
    url: smtp(),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
  });
  return (message) => transport.sendMail(message);
}

/** As plain text: whoever opens it must be able to copy the link, which mail's own encoding would break in two. */
function toFolder({ folder, clock, log }: Pick<MailParts, "folder" | "clock" | "log">): Deliver {
  let sweptMs = Number.NEGATIVE_INFINITY;
  return async ({ to, subject, text }) => {
    const file = join(folder, `${newId("mail", clock)}.txt`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, `To: ${to.address}\nSubject: ${subject}\n\n${text}`, { mode: 0o600 });
    log.info("mail was written, for there is no SMTP_URL", { file });
    if (clock.now() - sweptMs < SWEEP_EVERY_MS) return;
    sweptMs = clock.now();
    await sweepFolder(folder, sweptMs - KEPT_MS);
  };
}

/** What no link of works any more. */
async function sweepFolder(folder: string, beforeMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if ((await stat(file)).mtimeMs < beforeMs) await rm(file);
  }
}

type Message = ReturnType<typeof messageOf>;

function messageOf({ to, subject, lines, button, link }: Letter, from: string) {
  const paragraphs = lines.map((line) => `<p>${escaped(line)}</p>`).join("\n");
  return {
    from,
    to: { name: "", address: to }, // as one address: a name in it could be read as several
    subject,
    text: `${lines.join("\n\n")}\n\n${button}:\n${link}\n`,
    html: `<!doctype html>\n<html lang="en"><body style="font-family: sans-serif; line-height: 1.5">\n${paragraphs}\n<p><a href="${escaped(link)}">${escaped(button)}</a></p>\n<p><small>${escaped(link)}</small></p>\n</body></html>\n`,
    disableFileAccess: true,
    disableUrlAccess: true,
  } satisfies SendMailOptions;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);

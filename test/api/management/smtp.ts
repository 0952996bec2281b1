/** A real SMTP server for tests: what it was sent, to whom. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/** `whole` is the message as it came over the wire, its lines whole again. */
type Received = { to: string; subject: string; text: string; whole: string };

export type Postbox = AsyncDisposable & {
  /** What SMTP_URL is. */
  url: string;
  received: Received[];
  /** The next mail to an address that was not taken yet, with this text in its subject; waits for it. */
  take(to: string, about?: string): Promise<Received>;
  /** The link in it. */
  link(to: string, about?: string): Promise<URL>;
};

/** `unknown`: an address that it refuses for good. */
export async function openPostbox(unknown?: string): Promise<Postbox> {
  const received: Received[] = [];
  let arrived = Promise.withResolvers<void>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onRcptTo({ address }, _session, done) {
      if (address !== unknown) return done();
      done(Object.assign(new Error("no such user here"), { responseCode: 550 }));
    },
    async onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const message = Buffer.concat(chunks).toString("utf8");
      for (const { address } of envelope.rcptTo) received.push({ to: address, ...read(message) });
      done();
      arrived.resolve();
      arrived = Promise.withResolvers<void>();
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  async function take(to: string, about = ""): Promise<Received> {
    for (;;) {
      const next = arrived.promise;
      const index = received.findIndex((letter) => letter.to === to && letter.subject.includes(about));
      if (index >= 0) return received.splice(index, 1)[0]!;
      await next;
    }
  }
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    take,
    link: async (to, about) => new URL(/https?:\/\/\S+/.exec((await take(to, about)).text)![0]),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** The subject and the plain text of a message in two parts, as ours are. */
function read(message: string): Omit<Received, "to"> {
  const [subject] = /(?<=^subject: ).*(\r?\n\s.*)*/im.exec(message)!;
  const plain = /content-type: text\/plain[\s\S]*?\r?\n\r?\n([\s\S]*?)\r?\n--/i.exec(message)![0];
  const [head, ...body] = plain.split(/\r?\n\r?\n/);
  const text = body.join("\n\n");
  return {
    subject: subject!.replace(/\r?\n\s/g, " "),
    text: /quoted-printable/i.test(head!) ? unquoted(text) : text,
    whole: unquoted(message),
  };
}

const unquoted = (text: string) =>
  Buffer.from(
    text
      .replace(/=\r?\n/g, "")
      .replace(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");

/** A server on a WebSocket that listens to turns as a test writes it. */
export type Turn = {
  /** Settings of the session, and how many samples of audio came. */
  session: Record<string, unknown> | null;
  samples: number;
  raw(text: string): void;
  send(type: string, fields?: object): void;
  delta(text: string): void;
  completed(transcript: string): void;
  close(): void;
  /** The connection is lost without a word. */
  terminate(): void;
  left: Promise<void>;
};

export type Moment = "opened" | "updated" | "audio" | "committed";
type Handler = (turn: Turn, moment: Moment) => void;

const TRANSCRIPTION = "conversation.item.input_audio_transcription";

export function openListeningServer(handle: Handler) {
  const turns: Turn[] = [];
  const server = Bun.serve<{ turn: Turn; leave: () => void }>({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, server): Response | undefined =>
      server.upgrade(request, { data: {} as never }) ? undefined : new Response("{}", { status: 500 }),
    websocket: {
      open(socket) {
        const { promise: left, resolve: leave } = Promise.withResolvers<void>();
        const send = (type: string, fields: object = {}) =>
          void socket.send(JSON.stringify({ type, ...fields }));
        const turn: Turn = {
          session: null,
          samples: 0,
          raw: (text) => void socket.send(text),
          send,
          delta: (delta) => send(`${TRANSCRIPTION}.delta`, { delta }),
          completed: (transcript) => send(`${TRANSCRIPTION}.completed`, { transcript }),
          close: () => socket.close(1011, "overloaded"),
          terminate: () => socket.terminate(),
          left,
        };
        turns.push(turn);
        socket.data = { turn, leave };
        send("session.created");
        handle(turn, "opened");
      },
      message({ data: { turn } }, text) {
        const event = JSON.parse(String(text));
        if (event.type === "session.update") {
          turn.session = event.session;
          return handle(turn, "updated");
        }
        if (event.type === "input_audio_buffer.commit") return handle(turn, "committed");
        turn.samples += Buffer.from(event.audio, "base64").length / 2;
        handle(turn, "audio");
      },
      close: ({ data }) => data.leave(),
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    turns,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** Collects the calls of an answer: servers send them in pieces, whole, with an id each time, or with none. */
import { mustBe } from "../../engine/answers/faulty-answer.ts";
import type { ChatCall } from "../../engine/protocol/chat.ts";
import { checkJson } from "./chat-bounds.ts";

const CALLS_MAX = 64;
const NAME_MAX = 128;
const ARGUMENTS_MAX = 256 * 1024; // of all calls together
const ID_MAX = 32; // clients take no more

/** As it stands in a part of an answer. */
type Piece = {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
} | null;

type Open = { id: string; name: string; arguments: string };

export class ToolCalls {
  readonly #open = new Map<number, Open>();
  #characters = 0;

  /** Of the arguments of all calls. */
  get characters(): number {
    return this.#characters;
  }

  /** Throws a `FaultyAnswer`. */
  add(pieces: unknown): void {
    if (!Array.isArray(pieces)) return;
    for (const piece of pieces as Piece[]) {
      if (piece === null || typeof piece !== "object") continue;
      const index = typeof piece.index === "number" ? piece.index : this.#indexOf(piece.id);
      const call = this.#open.get(index) ?? { id: "", name: "", arguments: "" };
      this.#open.set(index, call);
      mustBe(this.#open.size <= CALLS_MAX, `an answer has more than ${CALLS_MAX} calls`);
      if (typeof piece.id === "string" && call.id === "") call.id = piece.id;
      const { name, arguments: asked } = piece.function ?? {};
      if (typeof name === "string" && call.name === "") call.name = name;
      mustBe(call.name.length <= NAME_MAX, `the name of a function has more than ${NAME_MAX} characters`);
      if (typeof asked === "string") this.#write(call, call.arguments + asked);
      else if (asked !== null && typeof asked === "object") this.#write(call, JSON.stringify(asked));
    }
  }

  #write(call: Open, asked: string): void {
    this.#characters += asked.length - call.arguments.length;
    call.arguments = asked;
    mustBe(this.#characters <= ARGUMENTS_MAX, "the arguments of the calls are too long");
  }

  /** Of a piece without an index: by its id, or a call of its own. */
  #indexOf(id: unknown): number {
    const known = [...this.#open].find(([, call]) => typeof id === "string" && call.id === id);
    return known?.[0] ?? this.#open.size;
  }

  /** In order; those without a name are none. Arguments are JSON. Throws a `FaultyAnswer`. */
  finish(): ChatCall[] {
    const taken = new Set<string>();
    return [...this.#open]
      .sort(([one], [other]) => one - other)
      .flatMap(([, call]) => {
        if (call.name === "") return [];
        const id = call.id !== "" && call.id.length <= ID_MAX && !taken.has(call.id) ? call.id : newCallId();
        taken.add(id);
        return [{ callId: id, name: call.name, arguments: asJson(call.arguments) }];
      });
  }
}

const newCallId = (): string => `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;

function asJson(text: string): string {
  if (text.trim() === "") return "{}";
  checkJson(text, "what a call is given");
  try {
    JSON.parse(text);
    return text;
  } catch {
    return "{}";
  }
}

/** A conversation as the page shows it: what the person said, and the answers with their stages. Pure. */
import { talkTexts } from "../../language/en/talk.ts";
import { arrive, complete, isHeard, type Sounds, soundOf } from "./sounds.ts";
import type { Latency, TalkEvent, TalkResponse } from "./talk-event.ts";

/** Something that a person said or wrote. */
export type Turn = { is: "turn"; id: string; text: string; isFinal: boolean };

/** A word or a few of an answer; `start`: how many samples of the item had arrived before. */
type Piece = { text: string; itemId: string; start: number };

/** A function that the language model calls. `output` null: nothing was returned yet. */
export type Call = { callId: string; name: string; arguments: string; output: string | null };

export type Answer = {
  is: "answer";
  /** Of the response. */
  id: string;
  pieces: Piece[];
  calls: Call[];
  status: string;
  /** Why it failed or is incomplete. */
  problem: string | null;
  /** The end of the turn that it answers, by the page's clock. */
  turnEndedAt: number;
  latency: Latency;
  /** The page measured the latency, because the server tells none. */
  isMeasuredHere: boolean;
};

type Entry = Turn | Answer;

export type Dialogue = {
  entries: readonly Entry[];
  sounds: Sounds;
  /** The end of the last turn, and when its transcript was complete; null: not yet. */
  turnEndedAt: number | null;
  transcribedAt: number | null;
};

export const EMPTY: Dialogue = { entries: [], sounds: [], turnEndedAt: null, transcribedAt: null };

/** Applies an event of the server at the time `now`, in milliseconds. */
export function applyEvent(dialogue: Dialogue, event: TalkEvent, now: number): Dialogue {
  if (event.type.startsWith("response.")) return applyToAnswer(dialogue, event, now);
  if (event.type === "conversation.item.added") return addItem(dialogue, event);
  if (event.type === "input_audio_buffer.speech_stopped") return ended(dialogue, now);
  const { item_id: id, type } = event;
  if (id === undefined) return dialogue;
  if (/speech_started$|committed$/.test(type)) return changeTurn(dialogue, id, () => ({}));
  if (type.endsWith("transcription.delta"))
    return changeTurn(dialogue, id, ({ text }) => ({ text: text + (event.delta ?? "") }));
  if (type.endsWith("transcription.failed"))
    return changeTurn(dialogue, id, () => ({ text: `(${event.error?.message})`, isFinal: true }));
  if (type.endsWith("transcription.completed")) return transcribed(dialogue, event, now);
  return dialogue;
}

/** A turn is over at the time `now`: its answer is measured from there. */
export const ended = (dialogue: Dialogue, now: number): Dialogue => ({
  ...dialogue,
  turnEndedAt: now,
  transcribedAt: null,
});

function changeTurn(dialogue: Dialogue, id: string, edit: (turn: Turn) => Partial<Turn>): Dialogue {
  const { entries } = dialogue;
  const isKnown = entries.some((entry) => entry.id === id);
  const turn: Turn = { is: "turn", id, text: "", isFinal: false };
  return {
    ...dialogue,
    entries: (isKnown ? entries : [...entries, turn]).map((entry) =>
      entry.id === id && entry.is === "turn" ? { ...entry, ...edit(entry) } : entry,
    ),
  };
}

function transcribed(
  dialogue: Dialogue,
  { item_id: id = "", transcript: text = "" }: TalkEvent,
  now: number,
): Dialogue {
  if (text === "") return { ...dialogue, entries: dialogue.entries.filter((entry) => entry.id !== id) };
  const known = changeTurn(dialogue, id, () => ({ text, isFinal: true }));
  const { turnEndedAt } = known;
  const isAwaited = (answer: Answer) =>
    answer.status === "in_progress" && answer.turnEndedAt === turnEndedAt && answer.pieces.length === 0;
  return {
    ...known,
    transcribedAt: now,
    entries: known.entries.map((entry) =>
      entry.is === "answer" && isAwaited(entry) ? reached(entry, "transcript_ms", now) : entry,
    ),
  };
}

/** What the person wrote, and what functions returned. */
function addItem(dialogue: Dialogue, { item }: TalkEvent): Dialogue {
  const text = item?.content?.find(({ type }) => type === "input_text")?.text;
  if (item?.role === "user" && text !== undefined)
    return changeTurn(dialogue, item.id, () => ({ text, isFinal: true }));
  if (item?.type !== "function_call_output") return dialogue;
  const { call_id: callId, output = "" } = item;
  return changeAnswers(dialogue, (answer) => ({
    calls: answer.calls.map((call) => (call.callId === callId ? { ...call, output } : call)),
  }));
}

const changeAnswers = (dialogue: Dialogue, edit: (answer: Answer) => Partial<Answer>): Dialogue => ({
  ...dialogue,
  entries: dialogue.entries.map((entry) => (entry.is === "answer" ? { ...entry, ...edit(entry) } : entry)),
});

const UNKNOWN: Latency = {
  transcript_ms: null,
  first_token_ms: null,
  first_clause_ms: null,
  first_sound_ms: null,
};

function reached(answer: Answer, stage: keyof Latency, now: number): Answer {
  if (answer.latency[stage] !== null) return answer;
  const latency = { ...answer.latency, [stage]: Math.max(0, Math.round(now - answer.turnEndedAt)) };
  return { ...answer, latency };
}

function begin(dialogue: Dialogue, id: string, now: number): Dialogue {
  const { turnEndedAt, transcribedAt } = dialogue;
  const answer: Answer = {
    ...{ is: "answer", id, pieces: [], calls: [], status: "in_progress", problem: null },
    ...{ turnEndedAt: turnEndedAt ?? now, latency: UNKNOWN, isMeasuredHere: true },
  };
  const measured = transcribedAt === null ? answer : reached(answer, "transcript_ms", transcribedAt);
  return { ...dialogue, entries: [...dialogue.entries, measured] };
}

function applyToAnswer(dialogue: Dialogue, event: TalkEvent, now: number): Dialogue {
  const { type, item_id: itemId = "", delta = "" } = event;
  if (type === "response.created") return begin(dialogue, event.response!.id, now);
  if (type === "response.done") return finish(dialogue, event.response!);
  const change = (edit: (answer: Answer) => Partial<Answer>) =>
    changeAnswers(dialogue, (answer) => (answer.id === event.response_id ? edit(answer) : {}));
  switch (type) {
    case "response.output_audio_transcript.delta": {
      const piece = { text: delta, itemId, start: soundOf(dialogue.sounds, itemId).arrived };
      return change(({ pieces }) => ({ pieces: [...pieces, piece] }));
    }
    case "response.output_audio.delta":
      return {
        ...change((answer) => reached(answer, "first_sound_ms", now)),
        sounds: arrive(dialogue.sounds, itemId, sampleCount(delta)),
      };
    case "response.output_audio.done":
      return { ...dialogue, sounds: complete(dialogue.sounds, itemId) };
    case "response.function_call_arguments.done": {
      const { call_id: callId = "", name = "", arguments: asked = "" } = event;
      return change(({ calls }) => ({ calls: [...calls, { callId, name, arguments: asked, output: null }] }));
    }
    default:
      return dialogue;
  }
}

const paddingOf = (base64: string): number => (base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0);

/** Of base64 text; each has two bytes. */
const sampleCount = (text: string): number => Math.floor((text.length * 3) / 4 - paddingOf(text)) / 2;

function problemOf({ status, status_details: details }: TalkResponse): string | null {
  if (details?.error) return `${details.error.message} (${details.error.code})`;
  return status === "incomplete" ? talkTexts()("incomplete", { reason: details?.reason ?? "" }) : null;
}

/** An answer that was cancelled before anything was said is not shown. */
function finish(dialogue: Dialogue, response: TalkResponse): Dialogue {
  const { id, status, latency } = response;
  const told = latency ? { latency: { ...UNKNOWN, ...latency }, isMeasuredHere: false } : {};
  const known = changeAnswers(dialogue, (answer) =>
    answer.id === id ? { status, problem: problemOf(response), ...told } : {},
  );
  const isNothing = (entry: Entry) =>
    entry.is === "answer" && entry.status === "cancelled" && entry.pieces.length + entry.calls.length === 0;
  return { ...known, entries: known.entries.filter((entry) => entry.id !== id || !isNothing(entry)) };
}

/** The response that is under way. */
export const activeAnswer = ({ entries }: Dialogue): Answer | undefined =>
  entries.find((entry): entry is Answer => entry.is === "answer" && entry.status === "in_progress");

/** The text of an answer, as far as it was heard, and the rest. */
export function heardOf({ pieces }: Answer, sounds: Sounds): { heard: string; unheard: string } {
  const first = pieces.findIndex(({ itemId, start }) => !isHeard(soundOf(sounds, itemId), start));
  const count = first < 0 ? pieces.length : first;
  const textOf = (some: Piece[]) => some.map(({ text }) => text).join("");
  return { heard: textOf(pieces.slice(0, count)), unheard: textOf(pieces.slice(count)) };
}

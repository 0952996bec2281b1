/**
 * What the events of one connection mean: a state machine. It answers each event with steps, which its connection performs
 * in order; it knows no socket, engine or price.
 *
 *           ┌── transcribe ──> named ──┐
 *   idle ───┤                          ├── audio-start, audio-chunk ──> recording ── audio-stop ──> idle
 *           ├──────────────────────────┘
 *           ├── synthesize ──> idle
 *           └── synthesize-start ──> streaming ── synthesize-stop ──> idle
 *
 * Clients may leave out `transcribe` and `audio-start`. In a stream, `synthesize` repeats the whole text for servers that
 * do not stream, and is ignored. Events of other services are ignored too.
 */
import {
  type ModelSelection,
  modelSelectionOf,
  type PcmFormat,
  pcmFormatOf,
  textOf,
  type VoiceSelection,
  voiceSelectionOf,
} from "./event-fields.ts";
import { invalid, type WyomingEvent } from "./framing.ts";

export type Step =
  | { do: "describe" }
  | { do: "send"; event: WyomingEvent }
  | { do: "openRecording"; selection: ModelSelection; format: PcmFormat }
  | { do: "record"; format: PcmFormat; bytes: Uint8Array }
  | { do: "transcribe" }
  | { do: "speak"; selection: VoiceSelection; text: string }
  | { do: "openStream"; selection: VoiceSelection }
  | { do: "addText"; text: string }
  | { do: "endStream" };

type State = { is: "idle" | "recording" | "streaming" } | { is: "named"; selection: ModelSelection };

const ANY: ModelSelection = { model: null, language: null };
const NOTHING = new Uint8Array(0);

export const eventOf = (type: string, data: Record<string, unknown> = {}): WyomingEvent => ({
  type,
  data,
  payload: null,
});

/** Repeats text only: anything else could be nested too deep to write. */
function pongFor({ data: { text } }: WyomingEvent): WyomingEvent {
  return eventOf("pong", { text: typeof text === "string" ? text : null });
}

export class WyomingSession {
  #state: State = { is: "idle" };

  /** Whether a request is open, so that the client owes the next event. */
  get isOpen(): boolean {
    return this.#state.is === "recording" || this.#state.is === "streaming";
  }

  /** Throws where the event is malformed or has no place here. */
  receive(event: WyomingEvent): Step[] {
    switch (event.type) {
      case "describe":
        return [{ do: "describe" }];
      case "ping":
        return [{ do: "send", event: pongFor(event) }];
      case "transcribe":
        this.#require("idle", "named");
        this.#state = { is: "named", selection: modelSelectionOf(event) };
        return [];
      case "audio-start":
        return this.#openRecording(pcmFormatOf(event));
      case "audio-chunk":
        return this.#record(pcmFormatOf(event), event.payload ?? NOTHING);
      case "audio-stop":
        return this.#endRecording();
      case "synthesize":
        return this.#synthesize(event);
      case "synthesize-start":
        this.#require("idle", "named");
        this.#state = { is: "streaming" };
        return [{ do: "openStream", selection: voiceSelectionOf(event) }];
      case "synthesize-chunk":
        this.#require("streaming");
        return [{ do: "addText", text: textOf(event) }];
      case "synthesize-stop":
        return this.#endStream();
      default:
        return [];
    }
  }

  #openRecording(format: PcmFormat): Step[] {
    this.#require("idle", "named");
    const selection = this.#state.is === "named" ? this.#state.selection : ANY;
    this.#state = { is: "recording" };
    return [{ do: "openRecording", selection, format }];
  }

  #record(format: PcmFormat, bytes: Uint8Array): Step[] {
    const opened = this.#state.is === "recording" ? [] : this.#openRecording(format);
    return [...opened, { do: "record", format, bytes }];
  }

  /** Without audio there is nothing to transcribe, and nothing to pay for. */
  #endRecording(): Step[] {
    this.#require("idle", "named", "recording");
    const isRecording = this.#state.is === "recording";
    this.#state = { is: "idle" };
    return isRecording
      ? [{ do: "transcribe" }]
      : [{ do: "send", event: eventOf("transcript", { text: "" }) }];
  }

  #synthesize(event: WyomingEvent): Step[] {
    if (this.#state.is === "streaming") return [];
    this.#require("idle", "named");
    return [{ do: "speak", selection: voiceSelectionOf(event), text: textOf(event) }];
  }

  #endStream(): Step[] {
    this.#require("idle", "named", "streaming");
    const isStreaming = this.#state.is === "streaming";
    this.#state = { is: "idle" };
    return isStreaming ? [{ do: "endStream" }] : [{ do: "send", event: eventOf("synthesize-stopped") }];
  }

  #require(...states: State["is"][]): void {
    if (states.includes(this.#state.is)) return;
    throw invalid(WHY[this.#state.is]);
  }
}

const WHY: Record<State["is"], string> = {
  idle: "synthesize-chunk needs a synthesize-start before it.",
  named: "synthesize-chunk needs a synthesize-start before it.",
  recording: "The recording is still open: send audio-stop first.",
  streaming: "The text is still open: send synthesize-stop first.",
};

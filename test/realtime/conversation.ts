/** A session without anything around it: what is heard is written as a row of probabilities. */
import { errorFields } from "../../src/api/v1/realtime/socket-errors.ts";
import type { Word } from "../../src/engine/protocol/recognition.ts";
import type { Refusal } from "../../src/errors.ts";
import type { ServerEvent } from "../../src/realtime/events.ts";
import { type Effect, Outbox } from "../../src/realtime/outbox.ts";
import { Session } from "../../src/realtime/session.ts";
import { type Change, changed, DEFAULTS, type Shape } from "../../src/realtime/settings.ts";
import { TranscriptionFront } from "../../src/realtime/transcription-front.ts";

export const WINDOW = 512;
const IDENTITY = {
  id: "sess_x",
  expiresAt: 3600,
  errorFields: (refusal: Refusal) => errorFields(refusal, "req_x"),
};

export const word = (text: string): Word => ({ text, start: 0, end: 1, confidence: 0.9 });

type Opening = { shape?: Shape; countsSilence?: boolean };

export function openConversation(
  change: Change = {},
  { shape = { beta: false, intent: true }, countsSilence = true }: Opening = {},
) {
  const out = new Outbox(IDENTITY.id);
  const settings = changed(DEFAULTS, change);
  const front = new TranscriptionFront({ ...IDENTITY, shape }, out, { settings, language: "en" });
  const session = new Session(settings, { front, out, countsSilence });
  const effects: Effect[] = [];
  const keep = (more: Effect[]) => void effects.push(...more);
  return {
    session,
    front,
    effects,
    keep,
    /** Each probability a window of 32 ms; a letter of a picture: "." is silence, "#" is speech, "~" in between. */
    hear(picture: string) {
      const probabilities = Float32Array.from(
        picture,
        (letter) => ({ ".": 0.05, "~": 0.42, "#": 0.9 })[letter] ?? 0,
      );
      session.append(picture.length * WINDOW * 3); // 24 kHz, two bytes a sample
      keep(
        session.addVadResult({
          samples: new Float32Array(picture.length * WINDOW),
          probabilities,
          windowSamples: WINDOW,
          lateSamples: 0,
        }),
      );
    },
    /** The turn detector's answer to the last question that it was asked, or to an earlier one. */
    answer(finished: boolean, index = -1) {
      const asked = effects.filter((effect) => effect.do === "detectTurn").at(index)!;
      keep(session.turnDetected(asked.itemId, asked.quietFrom, finished ? 1 : 0));
    },
    say: (itemId: string, text: string) => keep(session.words(itemId, text.split(" ").map(word))),
    events: () => effects.flatMap((effect) => (effect.do === "send" ? [effect.event] : [])),
    types: () => effects.flatMap((effect) => (effect.do === "send" ? [short(effect.event)] : [])),
    effectsOf: (itemId: string) =>
      effects.flatMap((effect) => ("itemId" in effect && effect.itemId === itemId ? [effect.do] : [])),
  };
}

/** The last word of an event's type, and of which item. */
const short = ({ type, item_id }: ServerEvent) =>
  `${type.split(".").at(-1)}${item_id === undefined ? "" : ` ${String(item_id).split("_").at(-1)}`}`;

/** Promise: for any transcript and chunking, events come in pairs and deltas join to the transcript. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openConversation, word } from "./conversation.ts";

const manual = { turnDetection: null };

const picture = fc.string({ unit: fc.constantFrom(".", "#", "~"), maxLength: 200 });

describe("for any audio", () => {
  test("every start has its stop or commit, and every commit its transcript or failure", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(picture, fc.constantFrom("commit", "clear")), { maxLength: 20 }),
        (steps) => {
          const { session, hear, keep, events } = openConversation();
          let cleared = 0;
          for (const step of steps) {
            if (step === "clear") {
              const open = events().filter(({ type }) => type.endsWith("speech_started")).length;
              const closed = events().filter(({ type }) => type.endsWith(".committed")).length;
              cleared += open - cleared > closed ? 1 : 0;
              keep(session.clear());
            } else if (step === "commit") {
              try {
                keep(session.commit());
              } catch {}
            } else hear(step);
          }
          hear(".".repeat(20));
          const count = (end: string) => events().filter(({ type }) => type.endsWith(end)).length;
          expect(count("speech_started") - cleared).toBe(count(".committed"));
          for (let index = 1; index <= count("speech_started"); index++)
            keep(session.conclude(`item_x_${index}`, "completed"));
          expect(count(".completed")).toBe(count(".committed"));
          const ids = events().map(({ event_id }) => event_id);
          expect(new Set(ids).size).toBe(ids.length);
        },
      ),
    );
  });

  test("deltas join to the transcript, however words come", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 5 })),
        fc.nat(8),
        (batches, piece) => {
          const { session, hear, keep, events } = openConversation(piece % 2 ? manual : {});
          hear("####");
          for (const [index, batch] of batches.entries()) {
            keep(session.words("item_x_1", batch.map(word)));
            if (index === piece) hear(".".repeat(16));
          }
          if (piece % 2 || piece >= batches.length) keep(session.commit());
          keep(session.conclude("item_x_1", "completed"));
          const deltas = events().flatMap(({ delta }) => delta ?? []);
          expect(deltas.join("")).toBe(batches.flat().join(" "));
          expect(events().at(-1)).toMatchObject({ transcript: batches.flat().join(" ") });
        },
      ),
    );
  });

  test("any chunking gives the same events", () => {
    fc.assert(
      fc.property(picture, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (whole, sizes) => {
        const together = openConversation();
        together.hear(whole);
        const apart = openConversation();
        for (let from = 0, turn = 0; from < whole.length; turn++) {
          const size = sizes[turn % sizes.length]!;
          apart.hear(whole.slice(from, from + size));
          from += size;
        }
        expect(apart.events()).toEqual(together.events());
        expect(apart.session.billableSeconds(true)).toBe(together.session.billableSeconds(true));
      }),
    );
  });
});

/** Promise: each response tells how long its stages took since its caller fell silent, or since it was asked for. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Stage, Stages } from "../../src/realtime/stages.ts";
import { Machine } from "./dialogue/machine.ts";

type Done = { response: { id: string; latency: Record<string, number | null> } };

const latencies = (machine: Machine) =>
  (machine.events() as unknown as (Done & { type: string })[])
    .filter(({ type }) => type === "response.done")
    .map(({ response }) => response.latency);

const asked = (machine: Machine) =>
  machine.act(() =>
    machine.dialogue.respond({
      ...{ settings: machine.dialogue.settings, isInConversation: true },
      ...{ input: null, metadata: null },
    }),
  );

function write(machine: Machine): void {
  machine.pass(150);
  machine.write("Good ");
  machine.pass(60);
  machine.write("morning, dear Ada. It is sunny.", "complete");
  machine.pass(40);
  for (let index = 0; index < 100; index++) machine.speak();
}

describe("a response tells its stages", () => {
  test("since the last of what its caller said was heard", () => {
    const machine = new Machine();
    machine.hear("#".repeat(20));
    machine.pass(500);
    machine.hear(".".repeat(20));
    machine.pass(30);
    machine.transcribe("what time is it");
    write(machine);
    expect(latencies(machine)).toEqual([
      { transcript_ms: 530, first_token_ms: 680, first_clause_ms: 740, first_sound_ms: 780 },
    ]);
  });

  test("since the last speech, where the caller went on", () => {
    const machine = new Machine();
    machine.hear("#".repeat(20));
    machine.pass(300);
    machine.hear("......");
    machine.hear("##");
    machine.pass(500);
    machine.hear(".".repeat(20));
    machine.transcribe("what time is it");
    write(machine);
    expect(latencies(machine)[0]).toMatchObject({ transcript_ms: 500, first_sound_ms: 750 });
  });

  test("where the model was asked before the turn had ended, too", () => {
    const machine = new Machine();
    machine.hear("#".repeat(20));
    machine.pass(200);
    machine.hear(".......");
    machine.guess("what time is it");
    machine.pass(100);
    machine.write("It is noon. ", "complete");
    machine.pass(300);
    machine.hear(".".repeat(12));
    machine.transcribe("what time is it");
    machine.pass(10);
    for (let index = 0; index < 100; index++) machine.speak();
    expect(latencies(machine)).toEqual([
      { transcript_ms: 600, first_token_ms: 300, first_clause_ms: 300, first_sound_ms: 610 },
    ]);
  });

  test("since it was asked for, where nothing waits for a transcript", () => {
    const machine = new Machine();
    asked(machine);
    write(machine);
    expect(latencies(machine)).toEqual([
      { transcript_ms: null, first_token_ms: 150, first_clause_ms: 210, first_sound_ms: 250 },
    ]);
  });

  test("with the transcript, where it was asked for before that was known", () => {
    const machine = new Machine();
    machine.hear("#".repeat(20));
    machine.act(() => machine.keep(machine.session.commit()));
    asked(machine);
    machine.pass(80);
    machine.transcribe("what time is it");
    write(machine);
    expect(latencies(machine)[0]).toMatchObject({ transcript_ms: 80, first_token_ms: 230 });
  });

  test("without those that it never reached", () => {
    const machine = new Machine();
    asked(machine);
    machine.fail();
    machine.act(() =>
      machine.dialogue.respond({
        settings: { ...machine.dialogue.settings, modality: "text" },
        ...{ isInConversation: true, input: null, metadata: null },
      }),
    );
    machine.pass(20);
    machine.write("Hello.", "complete");
    const none = { transcript_ms: null, first_token_ms: null, first_clause_ms: null, first_sound_ms: null };
    expect(latencies(machine)).toEqual([none, { ...none, first_token_ms: 20 }]);
  });

  test("of an answer to silence since the silence was told", () => {
    const machine = new Machine({ listening: { turnDetection: { idle_timeout_ms: 5000 } } });
    machine.hear(".".repeat(160));
    write(machine);
    expect(latencies(machine)[0]).toMatchObject({ transcript_ms: null, first_token_ms: 150 });
  });
});

const STAGES: Stage[] = ["transcript", "asked", "firstToken", "firstClause", "firstSound", "written"];

test("only the first time of a stage counts, and none lies before the start", () => {
  const steps = fc.array(fc.record({ ms: fc.nat(1000), stage: fc.constantFrom(...STAGES) }));
  fc.assert(
    fc.property(
      steps,
      fc.option(fc.record({ endedMs: fc.nat(500), transcriptMs: fc.nat(500) })),
      (all, heard) => {
        let now = 500;
        const stages = new Stages(() => now);
        stages.begin(heard);
        const first = new Map<Stage, number>(heard ? [["transcript", heard.transcriptMs]] : []);
        for (const { ms, stage } of all) {
          now += ms;
          stages.reached(stage);
          if (!first.has(stage)) first.set(stage, now);
        }
        for (const stage of STAGES) expect(stages.at(stage)).toBe(first.get(stage) ?? null);
        for (const ms of Object.values(stages.latency()))
          if (ms !== null) expect(ms).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});

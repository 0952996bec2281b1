/** The segments of a recording with their speakers: it is recognized and diarized at the same time. */
import type { Engine } from "../../engine/registry.ts";
import { recognitionFault } from "../recognize.ts";
import type { Segment } from "../transcript.ts";
import { bySpeaker, openSpeakerNames } from "./by-speaker.ts";
import { type DiarizationOptions, diarize } from "./diarize.ts";

/** `engine` diarizes. `names`: those of the people whose voices are known, in their order. */
type Speakers = Pick<DiarizationOptions, "voices" | "speakerCount" | "claim"> & {
  engine: Engine;
  samples: Float32Array;
  names: readonly string[];
};

export async function* withSpeakers(
  segments: AsyncGenerator<Segment>,
  { engine, samples, names, ...options }: Speakers,
): AsyncGenerator<Segment> {
  const first = segments.next();
  first.catch(() => {}); // where the diarization fails too
  try {
    const { turns, known } = await diarize(engine, [samples], options).catch((cause) => {
      throw recognitionFault(cause);
    });
    const spoken = known.flatMap((speaker, index) =>
      speaker === null ? [] : [[speaker, names[index]!] as const],
    );
    const nameOf = openSpeakerNames(spoken, names);
    for (let step = await first; !step.done; step = await segments.next())
      yield* bySpeaker(step.value, turns, nameOf);
  } finally {
    await segments.return(undefined);
  }
}

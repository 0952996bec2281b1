/**
 * The sound of a job: samples of its pieces as they are spoken, then the file of each chapter and of the whole. All of them are
 * encrypted, as files are.
 */

import type { JobFormat } from "../audio/formats.ts";
import { toFloat } from "../audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { JobRow } from "../db/queries/job-rows.ts";
import { soundOwner } from "../db/queries/speech-job-rows.ts";
import type { Claim } from "../engine/runner.ts";
import { Refusal } from "../errors.ts";
import type { FileOwnerPlan } from "../files/file-limits.ts";
import type { Files } from "../files/files.ts";
import type { Receive, Receiving } from "../files/receiving.ts";
import type { Encoders } from "../speech/encoders.ts";
import { Superseded } from "./superseded.ts";

export type Storing = { receive: Receive };

type Place = { owner: FileOwnerPlan; ownerId: string; position: number };
type Part = { id: string; bytes: number };
/** `commit` is false where the job has ended, or another node does it. */
type Content = {
  write(to: Pick<Receiving, "write">): Promise<void>;
  commit(part: Part): Promise<boolean>;
};

/** Returns its bytes. */
export async function store({ receive }: Storing, place: Place, content: Content): Promise<number> {
  const { owner, ...of } = place;
  await using incoming = await receive(owner, { ...of, announcedBytes: 0, bytesMax: BYTES_MAX, tooLarge });
  await content.write(incoming);
  const bytes = await incoming.end();
  if (!(await content.commit({ id: incoming.partId, bytes }))) throw new Superseded();
  incoming.keep();
  return bytes;
}

/** 24 hours of samples, and no more than the sizes in a WAV file can say. */
const BYTES_MAX = 24 * 3600 * TTS_SAMPLE_RATE * 2 + 1024;
const tooLarge = () =>
  new Refusal("validation_error", "input would be more than 24 hours of speech.", { param: "input" });

/** `from`, `to`: its pieces; `gap`: samples of silence before it. */
type Sound = { from: number; to: number; samples: number; gap: number };

type Encoded = Pick<Content, "commit"> & {
  sound: Sound[];
  claim: Claim;
  owner: FileOwnerPlan;
  position: number;
};

export type EncodingDeps = Storing & {
  files: Pick<Files, "content">;
  synthesizer: { encoders: Encoders };
};

/** In the format of the job. Returns its bytes. */
export async function encodeStored(
  deps: EncodingDeps,
  { id, responseFormat }: Pick<JobRow, "id" | "responseFormat">,
  { sound, claim, owner, position, commit }: Encoded,
): Promise<number> {
  const sampleCount = sound.reduce((sum, { samples, gap }) => sum + gap + samples, 0);
  const clip = { format: responseFormat as JobFormat, sampleCount };
  return store(
    deps,
    { owner, ownerId: soundOwner(id), position },
    {
      commit,
      async write(to) {
        const encoding = await deps.synthesizer.encoders.open(clip, claim);
        try {
          for await (const samples of samplesOf(deps.files, id, sound)) {
            claim.signal.throwIfAborted();
            await to.write(await encoding.encode(samples));
          }
          await to.write((await encoding.finish()).tail); // the length is known, and so the first bytes are right
        } finally {
          encoding.close();
        }
      },
    },
  );
}

const SLICE = 5 * TTS_SAMPLE_RATE;

async function* samplesOf(
  files: Pick<Files, "content">,
  id: string,
  sound: readonly Sound[],
): AsyncGenerator<Float32Array> {
  for (const { from, to, gap } of sound) {
    if (gap > 0) yield new Float32Array(gap);
    for await (const bytes of files.content({ id }, { from, to })) {
      const samples = new Int16Array(new Uint8Array(bytes).buffer); // of its own, since it may begin anywhere in a buffer
      for (let offset = 0; offset < samples.length; offset += SLICE) {
        await new Promise(setImmediate); // others are served meanwhile
        yield toFloat(samples.subarray(offset, offset + SLICE));
      }
    }
  }
}

/**
 * Speech frame by frame: each frame is drawn after those before it, and a few frames at a time become sound, fewer at
 * first.
 *
 *   frames   ▪▪ ▪▪▪▪ ▪▪▪▪▪▪▪▪ ▪▪▪▪▪▪▪▪▪▪▪▪ …        80 ms each
 *   sound    └┘ └──┘ └──────┘ └──────────┘
 *
 * Source of the loop and its constants: kyutai-labs/pocket-tts.
 */
import { stack } from "../../onnx/tensors.ts";
import type { PocketGraphs } from "./graphs.ts";
import type { States } from "./states.ts";
import type { Chunk } from "./text.ts";

const END_LOGIT = -4; // above it, the text is said
const FRAMES_AT_ONCE = [2, 4, 8, 12];
const FRAME_SECONDS = 0.08;
const TOKENS_PER_SECOND = 3; // at least; what takes longer does not end by itself
const PADDING_SECONDS = 2;

type Speaking = {
  /** After the voice. */
  begin: () => States;
  positions: number;
  chunks: readonly Chunk[];
  steps: number;
  /** Of a frame, by its number since the start. */
  noiseOf: (frame: number) => Float32Array;
  /** One piece of work in its turn. */
  turn: <T>(work: () => Promise<T>) => Promise<T>;
  isCancelled: () => boolean;
};

/** Samples at the rate of the model; ends when it is cancelled. */
export async function* speak(graphs: PocketGraphs, speaking: Speaking): AsyncGenerator<Float32Array> {
  const { turn, chunks, isCancelled } = speaking;
  let [frame, groups] = [0, 0];
  for (const chunk of chunks) {
    let states = graphs.decoder.initial();
    let waiting: Float32Array[] = [];
    const decode = () =>
      turn(async () => {
        const decoded = await graphs.decoder.decode(states, stack(waiting));
        states = decoded.states;
        waiting = [];
        groups++;
        return decoded.samples;
      });
    for await (const latent of latentsOf(graphs, chunk, { ...speaking, frame })) {
      waiting.push(latent);
      frame++;
      if (waiting.length >= (FRAMES_AT_ONCE[groups] ?? FRAMES_AT_ONCE.at(-1)!)) yield await decode();
    }
    if (isCancelled()) return;
    if (waiting.length > 0) yield await decode();
  }
}

/** The frames of a chunk; none more when it is cancelled. */
async function* latentsOf(
  { main, embed, draw }: PocketGraphs,
  { tokens, framesAfterEnd }: Chunk,
  { begin, positions, frame, steps, noiseOf, turn, isCancelled }: Speaking & { frame: number },
): AsyncGenerator<Float32Array> {
  if (isCancelled()) return;
  let states = await turn(async () => main.read(begin(), await embed(tokens)));
  let latent: Float32Array = new Float32Array(main.latent).fill(Number.NaN);
  let last = Math.min(framesMax(tokens.length), main.positions - positions - tokens.length);
  for (let at = 0; at < last && !isCancelled(); at++) {
    const drawn = await turn(async () => {
      const next = await main.follow(states, latent);
      states = next.states;
      if (next.endLogit > END_LOGIT) last = Math.min(last, at + framesAfterEnd);
      return at < last ? draw(next.conditioning, noiseOf(frame + at), steps) : null;
    });
    if (drawn === null) return;
    latent = drawn;
    yield drawn;
  }
}

const framesMax = (tokens: number) =>
  Math.ceil((tokens / TOKENS_PER_SECOND + PADDING_SECONDS) / FRAME_SECONDS);

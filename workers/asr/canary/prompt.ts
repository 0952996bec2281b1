/**
 * What Canary reads before it writes, as tokens: the languages, and that the text has punctuation, capitals, numbers in
 * words, no times and no speakers.
 */
const TASK = ["<|pnc|>", "<|noitn|>", "<|notimestamp|>", "<|nodiarize|>"];
const START = ["<|startofcontext|>", "<|startoftranscript|>", "<|emo:undefined|>"];
const END = "<|endoftext|>";

export type Prompts = {
  endOfText: number;
  /** Tokens of a prompt, the same of all. */
  length: number;
  /** ISO 639-1 codes of what is spoken and of what is to be written. */
  of(spoken: string, written: string): number[];
};

/** `withBlank`: prompts begin with the piece of a space, as those of onnx-asr's export. */
export function openPrompts(pieces: readonly string[], withBlank: boolean): Prompts {
  const ids = new Map(pieces.map((piece, id) => [piece, id]));
  const idOf = (piece: string) => {
    const id = ids.get(piece);
    if (id === undefined) throw new Error(`this is another model: its vocabulary has no ${piece}`);
    return id;
  };
  const start = [...(withBlank ? ["▁"] : []), ...START].map(idOf);
  const task = TASK.map(idOf);
  return {
    endOfText: idOf(END),
    length: start.length + 2 + task.length,
    of: (spoken, written) => [...start, idOf(`<|${spoken}|>`), idOf(`<|${written}|>`), ...task],
  };
}

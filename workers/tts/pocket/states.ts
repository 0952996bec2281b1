/**
 * The states of a graph, which a run takes as `state_…` and gives back, advanced, as `out_state_…`. The tensors that come
 * out of one run go into the next as they are.
 */
import type { DeclaredPort } from "../../../src/onnx/model-file.ts";
import type { Graph, Outputs, Signature, Tensor } from "../../onnx/session.ts";
import type { StateEntry } from "./bundle.ts";

export type State = {
  name: string;
  type: "float32" | "int64" | "bool";
  shape: number[];
  /** What it begins with: all 0, or all 1. */
  first: 0 | 1;
  /** No run changes it. */
  isFixed: boolean;
};

export type States = Record<string, Tensor>;

const PREFIX = "state_";
export const OUT = "out_";
const VALUES_MAX = 2 ** 27; // 512 MB of floats; the largest published state has 2 million values

/** `fixed`: places of the states that no run changes, where the bundle does not tell. */
export type Known = {
  entries: readonly StateEntry[];
  fixed?: (module: string | null, place: number) => boolean;
};

/** As the graph declares them, and its bundle where a dimension is open. */
export function statesOf(inputs: readonly DeclaredPort[], { entries, fixed = () => false }: Known): State[] {
  const declared = inputs.filter(({ name }) => name.startsWith(PREFIX));
  const unknown = entries.find(({ input_name }) => !declared.some(({ name }) => name === input_name));
  if (unknown) throw new Error(`this is another model: it has no input ${unknown.input_name}`);
  return declared.map(({ name, type, shape }, place) => {
    const entry = entries.find(({ input_name }) => input_name === name);
    const sizes = shape.map((size, axis) => (typeof size === "number" ? size : entry?.shape[axis]));
    if (sizes.some((size) => size === undefined))
      throw new Error(`this is another model: the size of input ${name} is open`);
    const count = (sizes as number[]).reduce((all, size) => all * size, 1);
    if (count > VALUES_MAX) throw new Error(`this is another model: input ${name} has ${count} values`);
    return {
      name,
      type: type as State["type"],
      shape: sizes as number[],
      first: entry?.fill === "ones" ? 1 : 0,
      isFixed: fixed(entry?.module ?? null, place),
    };
  });
}

/** What is added to the signature of a graph with these states. */
export function withStates({ inputs, outputs }: Signature, states: readonly State[]): Signature {
  const port = ({ type, shape }: State) => ({ type, shape: shape.map((size) => (size === 0 ? null : size)) });
  return {
    inputs: { ...inputs, ...Object.fromEntries(states.map((state) => [state.name, port(state)])) },
    outputs: { ...outputs, ...Object.fromEntries(states.map((state) => [OUT + state.name, port(state)])) },
  };
}

export function initialStates({ Tensor }: Graph, states: readonly State[]): States {
  return Object.fromEntries(
    states.map(({ name, type, shape, first }) => {
      const count = shape.reduce((all, size) => all * size, 1);
      if (type === "int64")
        return [name, new Tensor(type, new BigInt64Array(count).fill(BigInt(first)), shape)];
      if (type === "bool") return [name, new Tensor(type, new Uint8Array(count).fill(first), shape)];
      return [name, new Tensor("float32", new Float32Array(count).fill(first), shape)];
    }),
  );
}

/** The outputs to ask for, those of states that change among them. */
export const outputsOf = (names: string[], states: readonly State[]): string[] => [
  ...names,
  ...states.filter(({ isFixed }) => !isFixed).map(({ name }) => OUT + name),
];

/** The states after a run. */
export const advanced = (states: States, outputs: Outputs): States =>
  Object.fromEntries(
    Object.entries(states).map(([name, tensor]) => [
      name,
      (outputs[OUT + name] as Tensor | undefined) ?? tensor,
    ]),
  );

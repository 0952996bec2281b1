/** Confirms a saved form, beside its button. */
import type { UseMutationResult } from "@tanstack/react-query";

type Mutation = Pick<UseMutationResult, "isSuccess">;

export function Saved({ of }: { of: Mutation }) {
  return <span role="status">{of.isSuccess && "Saved."}</span>;
}

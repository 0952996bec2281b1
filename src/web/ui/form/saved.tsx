/** Beside a form's button: that the change was taken. */
import type { UseMutationResult } from "@tanstack/react-query";

type Written = Pick<UseMutationResult, "isSuccess">;

export function Saved({ of }: { of: Written }) {
  return <span role="status">{of.isSuccess && "Saved."}</span>;
}

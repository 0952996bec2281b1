/** Confirms a saved form, beside its button. */

import type { UseMutationResult } from "@tanstack/react-query";
import { controlsTexts } from "../../language/en/controls.ts";

type Mutation = Pick<UseMutationResult, "isSuccess">;

export function Saved({ of }: { of: Mutation }) {
  return <span role="status">{of.isSuccess && controlsTexts()("saved")}</span>;
}

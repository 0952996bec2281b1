/** What the steps after the account are about: the operator's first organization. */
import type { Membership } from "../lib/session.ts";

export type StepProps = { organization: Membership };

/** What the steps after the account are about: the operator's first organization. */
import type { Membership } from "../api/session.ts";

export type StepProps = { organization: Membership };

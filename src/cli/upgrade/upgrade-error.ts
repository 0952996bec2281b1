/** Why an upgrade was not made. The executable is as it was, and a running server goes on. */

import { OperatorError } from "../../errors.ts";

export class UpgradeError extends OperatorError {}

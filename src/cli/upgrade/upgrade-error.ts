/** Why an upgrade was not made. The executable is as it was, and a running server goes on. */
export class UpgradeError extends Error {}

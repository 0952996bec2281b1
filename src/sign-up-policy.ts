/** Who may create an account by themselves. */

/** `invited`: whom a member has invited. `closed`: accounts are created by an operator only. */
export type SignUp = (typeof SIGN_UP)[number];
export const SIGN_UP = ["open", "invited", "closed"] as const;

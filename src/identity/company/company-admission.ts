/**
 * Whether a person whom a provider has signed in may enter, and with which role. The sign-up policy decides unless groups are
 * configured; then they do, each time.
 */
import { type GroupRole, openGroupRoles } from "../../accounts/group-roles.ts";
import { openProviderUsers } from "../../accounts/provider-users.ts";
import { openUsers } from "../../accounts/users.ts";
import type { Clock } from "../../clock.ts";
import type { IdentityConfig, SignInSource } from "../../config/config.ts";
import type { Database } from "../../db/database.ts";
import { Refusal } from "../../errors.ts";
import { hasGroups, type Profile, roleOf } from "./profile.ts";

type AdmissionDeps = { database: Database; config: IdentityConfig; clock: Clock };

/** What the provider gives the person, null: nothing; their verified address; their user, null: a new one. */
export type Admission = { given: GroupRole | null; email: string; userId: string | null };

export type Admit = (profile: Profile, provider: SignInSource) => Promise<Admission>;

/** Refuses who may not enter, and takes from them what groups gave before. */
export function openAdmission({ database, config, clock }: AdmissionDeps): Admit {
  const roles = openGroupRoles(database, clock);
  const known = openProviderUsers(database);
  const users = openUsers(database, clock);
  return async ({ subject, email, isVerified, groups }, provider) => {
    if (email === null || !isVerified)
      throw new Refusal("email_not_verified", `${provider.name} has not verified your e-mail address.`);
    if (hasGroups(provider) && groups === null)
      throw new Refusal("sign_up_closed", `${provider.name} does not say which groups you are in.`);
    const given = roleOf(groups ?? [], provider);
    const userId = await known.find({ providerId: provider.id, subject, email });
    if (given !== null && given.role === null) {
      if (userId !== null) await roles.apply(userId, given);
      throw new Refusal("sign_up_closed", `None of your groups at ${provider.name} may use this server.`);
    }
    if (userId === null) {
      if (!hasGroups(provider)) await users.assertCanSignUp(email, config);
      await known.deleteUnverified(email);
    }
    return { given, email, userId };
  };
}

/**
 * Announces on this node that keys of an organization have ended, so that long sessions check theirs at once. Changes of
 * other nodes and processes are not announced: sessions find them by their own checks.
 */
import type { AccountDeletion } from "./account-deletion.ts";
import type { Keys } from "./keys.ts";
import type { OrganizationDeletion } from "./organization-deletion.ts";
import type { Organizations } from "./organizations.ts";
import type { ServiceAccounts } from "./service-accounts.ts";

type Listener = (organizationId: string) => void;

export type OnKeysEnding = (listener: Listener) => Disposable;

type Changes = Pick<Organizations, "setStatus" | "archiveProject"> &
  Pick<OrganizationDeletion, "scheduleDeletion"> &
  Pick<AccountDeletion, "deleteUser"> &
  Pick<Keys, "rotateKey" | "revokeKey"> &
  Pick<ServiceAccounts, "deleteServiceAccount">;

/** The same changes, announced where they may end a key. */
export function announced(changes: Changes): Changes & { onKeysEnding: OnKeysEnding } {
  const listeners = new Set<Listener>();
  const announce = (organizationId: string | undefined) => {
    if (organizationId !== undefined) for (const listener of listeners) listener(organizationId);
  };
  return {
    async setStatus(id, status) {
      const organization = await changes.setStatus(id, status);
      announce(organization?.id);
      return organization;
    },
    async scheduleDeletion(id, at) {
      const organization = await changes.scheduleDeletion(id, at);
      announce(organization?.id);
      return organization;
    },
    async deleteUser(id) {
      const organizations = await changes.deleteUser(id);
      for (const organization of organizations) announce(organization);
      return organizations;
    },
    async archiveProject(id) {
      const project = await changes.archiveProject(id);
      announce(project?.organizationId);
      return project;
    },
    async rotateKey(id, graceSeconds) {
      const key = await changes.rotateKey(id, graceSeconds);
      if (graceSeconds === 0) announce(key?.organization_id);
      return key;
    },
    async revokeKey(id) {
      const key = await changes.revokeKey(id);
      announce(key?.organization_id);
      return key;
    },
    async deleteServiceAccount(id) {
      const deleted = await changes.deleteServiceAccount(id);
      announce(deleted?.organization_id);
      return deleted;
    },
    onKeysEnding(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}

/** The spend alerts of an organization that has something in every table. */
import type { Fixture } from "./server-fixture.ts";

/** Alerts of a key and of its organization, of which one has gone off. */
export async function alerted({ parts, clock }: Fixture, of: Record<string, string>) {
  const { organization: organizationId, project: projectId, key: keyId, name } = of as Record<string, string>;
  const settings = {
    ...{ threshold: { amountMicros: 1_000_000 }, channel: "webhook" as const, recipients: [] },
    subjectPrefix: `${name} prefix`,
  };
  const whole = { organizationId: organizationId!, projectId: null, keyId: null };
  const { id } = await parts.spendAlerts.create({ ...whole, projectId: projectId!, keyId: keyId! }, settings);
  await parts.spendAlerts.create(whole, settings);
  const at = Math.floor(clock.now() / 1000);
  const { query, tables } = parts.database;
  await query.insert(tables.spendAlertFiring).values({
    ...{
      organizationId: organizationId!,
      alertId: id,
      start: at,
      thresholdMicros: 1,
      micros: 2,
      createdAt: at,
    },
  });
  return { spendAlert: id };
}

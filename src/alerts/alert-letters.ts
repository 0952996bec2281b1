/** What members, and others who agreed, are told of alerts, in words. Pure. */
import { plainName } from "../display-name.ts";
import { dollars } from "../dollars.ts";
import type { SpendAlert } from "./spend-alerts.ts";

export type Words = { subject: string; lines: string[] };

/** A key or project by its name, as its people gave it; a key with what is shown of its secret. */
export type Named = { name: string; shown: string | null };

/** `watched`: null for an organization. `start`: of the month or of the budget's period, in Unix seconds. */
export type Spent = {
  alert: Pick<SpendAlert, "scope" | "percent" | "subjectPrefix">;
  watched: Named | null;
  thresholdMicros: number;
  micros: number;
  start: number;
  dearest: (Named & { micros: number })[];
};

export function spentWords({ alert, watched, thresholdMicros, micros, start, dearest }: Spent): Words {
  const { percent, scope, subjectPrefix } = alert;
  const who = watched === null ? "Your organization" : `The ${scope} ${titleOf(watched)}`;
  const limit = percent === null ? null : (thresholdMicros * 100) / percent;
  const of = scope === "organization" ? "spending limit" : "budget";
  const share = limit === null ? "" : `, ${percent}% of the ${of} of ${dollars(limit)}`;
  const subject = `Spend alert: ${dollars(micros)} spent`;
  return {
    subject: subjectPrefix ? `${subjectPrefix} ${subject}` : subject,
    lines: [
      `${who} has spent ${dollars(micros)} since ${dayOf(start)} (UTC). The alert was set at ${dollars(thresholdMicros)}${share}.`,
      ...(dearest.length > 0 ? [`What cost most since then: ${dearest.map(dearOf).join(", ")}.`] : []),
      "Requests go on: an alert restricts nothing. It is not sent again for this amount before the next period.",
    ],
  };
}

function titleOf({ name, shown }: Named): string {
  const title = `"${plainName(name)}"`;
  return shown === null ? title : `${title} (${shown})`;
}

const dearOf = ({ micros, ...named }: Spent["dearest"][number]) => `${titleOf(named)} ${dollars(micros)}`;

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** Its name was chosen by people whom the reader may not know. */
export const askingWords = (organizationName: string): Words => ({
  subject: "Do you want mail of alerts?",
  lines: [
    `The organization "${plainName(organizationName)}" on Loquat wants to tell this address by mail when it has spent an amount, or has little credit left. Answer within 7 days whether you want that.`,
    "If you do not know it, ignore this message: without your consent no alerts are sent to you.",
  ],
});

export const balanceWords = (leftMicros: number, thresholdMicros: number): Words => ({
  subject: `Balance alert: ${dollars(leftMicros)} left`,
  lines: [
    `Your organization has ${dollars(leftMicros)} of credit left. The alert was set at ${dollars(thresholdMicros)}.`,
    "Requests are refused when the credit is used up. You are told again once the balance was above in between.",
  ],
});

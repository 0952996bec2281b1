/**
 * When an organization will have a slot again, from what is under way here and how long its requests have taken.
 *
 *   slot 1   ████████████░░░░          expected end: as long as requests took lately
 *   slot 2   ██████░░░░░░░░░░          the second in the queue has this one
 *   overdue  ████████████████▓▓▓       requests take longer now: the pace at which slots are released counts
 *
 * Live sessions last from seconds to an hour: where they hold all slots, one that has lasted so long is expected to last as
 * long again.
 */
import type { Clock } from "../../clock.ts";

type Held = { begunMs: number; isSession: boolean };
type Organization = {
  held: Map<string, Held>;
  meanMs: number | null;
  gapMs: number | null;
  releasedMs: number;
};

const WEIGHT = 0.2; // of the last one in a mean
const LATE = 0.1; // of the time that requests take: one that is later takes longer than they did

export type SlotTimes = {
  /** The request got a slot. */
  began(organizationId: string, id: string, isSession: boolean): void;
  /** It ended; without effect for one that got none. A refused one tells nothing of how long requests take. */
  ended(organizationId: string, id: string, isServed: boolean): void;
  /** Milliseconds until there is a slot for one behind so many others. */
  waitMs(organizationId: string, ahead: number): number;
  /** Whether live sessions hold all slots that are known. */
  areLive(organizationId: string): boolean;
};

/** Keeps nothing of an organization without a slot in use. */
export function openSlotTimes(clock: Clock): SlotTimes {
  const organizations = new Map<string, Organization>();
  let meanMs: number | null = null; // of all of them

  return {
    began(organizationId, id, isSession) {
      const none = { held: new Map(), meanMs: null, gapMs: null, releasedMs: clock.now() };
      const organization = organizations.get(organizationId) ?? none;
      organizations.set(organizationId, organization);
      organization.held.set(id, { begunMs: clock.now(), isSession });
    },
    ended(organizationId, id, isServed) {
      const organization = organizations.get(organizationId);
      const request = organization?.held.get(id);
      if (!organization || !request) return;
      organization.held.delete(id);
      if (organization.held.size === 0) organizations.delete(organizationId);
      if (request.isSession) return;
      const nowMs = clock.now();
      const tookMs = nowMs - request.begunMs;
      if (isServed) {
        meanMs = averaged(meanMs, tookMs);
        organization.meanMs = averaged(organization.meanMs, tookMs);
      }
      organization.gapMs = averaged(organization.gapMs, nowMs - organization.releasedMs);
      organization.releasedMs = nowMs;
    },
    waitMs(organizationId, ahead) {
      const organization = organizations.get(organizationId);
      if (!organization) return meanMs ?? 0; // other nodes hold them
      const held = [...organization.held.values()];
      const requests = held.filter(({ isSession }) => !isSession);
      const nowMs = clock.now();
      if (requests.length === 0) return nowMs - Math.min(...held.map(({ begunMs }) => begunMs));
      return expectedMs(organization, { requests, ahead, meanMs, nowMs });
    },
    areLive(organizationId) {
      const held = organizations.get(organizationId)?.held;
      return held !== undefined && [...held.values()].every(({ isSession }) => isSession);
    },
  };
}

type Queue = { requests: Held[]; ahead: number; meanMs: number | null; nowMs: number };

function expectedMs(organization: Organization, { requests, ahead, meanMs, nowMs }: Queue): number {
  const elapsed = requests.map(({ begunMs }) => nowMs - begunMs).sort((one, other) => other - one);
  const round = Math.floor(ahead / requests.length);
  const elapsedMs = elapsed[ahead % requests.length]!;
  const tookMs = organization.meanMs ?? meanMs ?? 2 * elapsedMs; // unknown: half of it is done
  const leftMs = tookMs - elapsedMs;
  if (leftMs >= -LATE * tookMs) return round * tookMs + Math.max(0, leftMs);
  const { gapMs, releasedMs } = organization;
  return gapMs === null ? elapsedMs : Math.max(0, (ahead + 1) * gapMs - (nowMs - releasedMs));
}

const averaged = (mean: number | null, last: number): number =>
  mean === null ? last : mean + WEIGHT * (last - mean);

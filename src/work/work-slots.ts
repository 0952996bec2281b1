/** Counts what a node is doing of each kind of work, so that it begins no more than it has room for. */
import { type Rules, roomFor } from "./decisions.ts";

export type Slots = ReturnType<typeof openSlots>;

export function openSlots(nodeMax: number) {
  const taken = new Map<string, number>();
  let all = 0;
  const change = (kind: string, by: number) => {
    taken.set(kind, (taken.get(kind) ?? 0) + by);
    all += by;
  };
  return {
    /** Takes all that are free, or up to `max`, and returns how many. */
    take(kind: string, rules: Pick<Rules, "atOnce">, max = Number.POSITIVE_INFINITY): number {
      const room = Math.min(max, roomFor(rules, { ofKind: taken.get(kind) ?? 0, ofAll: all, nodeMax }));
      change(kind, room);
      return room;
    },
    /** Whether some are free, so that no other row of the kind waits for one. */
    isFree: (kind: string, rules: Pick<Rules, "atOnce">): boolean =>
      roomFor(rules, { ofKind: taken.get(kind) ?? 0, ofAll: all, nodeMax }) > 0,
    release: (kind: string, count: number) => change(kind, -count),
  };
}

/** What was counted since the server started, as sentences. */
import { Badge, Card } from "../ui/page.tsx";
import { isTrouble, sentenceOf } from "./counter-sentences.ts";

type CountersProps = { counters: Record<string, number>; nodes: number };

export function Counters({ counters, nodes }: CountersProps) {
  return (
    <Card title={nodes > 1 ? "All nodes since they started" : "Since the server started"}>
      <ul className="sentences">
        {Object.entries(counters).map(([name, value]) => (
          <li key={name}>
            {isTrouble(name, value) && <Badge tone="warn">Check</Badge>} {sentenceOf(name, value)}
          </li>
        ))}
      </ul>
    </Card>
  );
}

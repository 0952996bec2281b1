/** What was counted since the server started, as sentences. */
import { Badge, Card } from "../ui/page.tsx";
import { isTrouble, sentenceOf } from "./counter-sentences.ts";

export function Counters({ counters }: { counters: Record<string, number> }) {
  return (
    <Card title="Since the server started">
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

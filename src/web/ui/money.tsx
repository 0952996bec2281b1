/** An amount in a row: up to four decimals, and the exact one as its title. */
import { amount, money } from "../format/dollars.ts";

export function Money({ micros }: { micros: number }) {
  const [rounded, exact] = [amount(micros), money(micros)];
  return <span title={rounded === exact ? undefined : exact}>{rounded}</span>;
}

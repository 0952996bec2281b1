/** A list of names and values; those that are null are left out. */
import { Fragment, type ReactNode } from "react";

export type Fact = [name: ReactNode, value: ReactNode];

export const Facts = ({ of: facts }: { of: Fact[] }) => (
  <dl className="facts">
    {facts
      .filter(([, value]) => value !== null)
      .map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a fixed list in a fixed order
        <Fragment key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
  </dl>
);

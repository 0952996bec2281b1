/** One number of the overview, with its trend and a link to what it sums up. */
import type { CSSProperties } from "react";
import { Link } from "wouter";
import { Sparkline } from "../ui/chart/sparkline.tsx";

type TileProps = {
  name: string;
  value: string;
  hint: string;
  href: string;
  course?: number[];
  tone?: "bad" | undefined;
};

export function Tile({ name, value, hint, href, course, tone }: TileProps) {
  return (
    <article className={tone ? `tile ${tone}` : "tile"}>
      <h2>
        <Link href={href}>{name}</Link>
      </h2>
      <strong style={{ "--length": value.length } as CSSProperties}>{value}</strong>
      <small>{hint}</small>
      {course && <Sparkline values={course} colour={tone ? 5 : 1} />}
    </article>
  );
}

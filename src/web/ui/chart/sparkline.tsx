/** The course of a few values as a line without axes; the number beside it says what it means. */

const [WIDTH, HEIGHT] = [100, 28];

export function Sparkline({ values, colour = 1 }: { values: number[]; colour?: number }) {
  const max = Math.max(...values, 0);
  if (values.length < 2 || max === 0) return <span className="sparkline" />;
  const x = (index: number) => (index / (values.length - 1)) * WIDTH;
  const y = (value: number) => HEIGHT - 2 - (value / max) * (HEIGHT - 4);
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const stroke = `var(--series-${colour})`;
  return (
    <svg className="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
      <polygon points={`0,${HEIGHT} ${points} ${WIDTH},${HEIGHT}`} fill={stroke} fillOpacity={0.13} />
      <polyline
        points={points}
        fill="none"
        stroke={stroke}
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

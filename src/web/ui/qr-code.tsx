/** A QR code: dark on light in both looks, since cameras may not read the inverse. */
import { useMemo } from "react";
import { qrShape } from "./qr-shape.ts";

/** `label`: what it is, for those who cannot see it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => qrShape(text), [text]);
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path className="qr-light" d={`M0 0h${size}v${size}h-${size}z`} />
      <path className="qr-dark" d={path} shapeRendering="crispEdges" />
    </svg>
  );
}

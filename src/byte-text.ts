/** Numbers of bytes as text, alike on the command line and in the pages. Pure. */

/** 840 kB, 2.4 MB, 163 MB, 1.1 GB: decimal units, as hubs and disks count. */
export function byteText(bytes: number): string {
  if (bytes < 999_500) return `${rounded(bytes / 1e3)} kB`;
  return bytes < 999.5e6 ? `${rounded(bytes / 1e6)} MB` : `${rounded(bytes / 1e9)} GB`;
}

const rounded = (value: number) => (value < 10 ? Math.ceil(value * 10) / 10 : Math.round(value));

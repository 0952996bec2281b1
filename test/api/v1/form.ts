/** multipart/form-data put together by hand, so that it can be wrong. */

export type Field = [name: string, value: string | Uint8Array];

export function form(
  fields: Field[],
  { boundary = "x-boundary", quoted = false, end = "--\r\n" } = {},
): { method: string; body: Buffer; headers: { "content-type": string } } {
  const parts = fields.map(([name, value]) => {
    const filename =
      typeof value === "string" ? "" : '; filename="blob"\r\nContent-Type: application/octet-stream';
    return [
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n\r\n`),
      Buffer.from(value),
      Buffer.from("\r\n"),
    ];
  });
  const body = Buffer.concat([...parts.flat(), Buffer.from(`--${boundary}${end}`)]);
  const type = `multipart/form-data; boundary=${quoted ? `"${boundary}"` : boundary}`;
  return { method: "POST", body, headers: { "content-type": type } };
}

/** A name that people gave, which may be long and in any script: it takes one line, and is read in its own direction. */

export const Name = ({ of }: { of: string }) => (
  <bdi className="name" title={of}>
    {of}
  </bdi>
);

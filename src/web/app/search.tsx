/** The dialog of the search; what is in it is fetched when it is first opened. */
import { useEffect, useRef } from "react";
import type { Membership } from "../api/session.ts";
import { part } from "../ui/code.tsx";

const Palette = part(async () => (await import("./palette.tsx")).Palette);

export function Search({ current, onClose }: { current: Membership | null; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="palette" aria-label="Search" onClose={onClose} onCancel={onClose}>
      <Palette current={current} onClose={onClose} />
    </dialog>
  );
}

/** Takes a file: dropped anywhere on the page, or chosen in a dialog. */

import { useContext, useEffect, useRef, useState } from "react";
import { OrganizationContext } from "../../api/session.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";

type DropZoneProps = { isActive: boolean; onFile: (file: File) => void };

export function DropZone({ isActive, onFile }: DropZoneProps) {
  const hasJobs = useContext(OrganizationContext) !== null;
  const t = transcribeTexts();
  const isOver = useFileDrop(isActive, onFile);
  return (
    <label className={isOver ? "drop over" : "drop"}>
      <span>{t.rich("drop", { u: (content) => <u>{content}</u> })}</span>
      <small>{t(hasJobs ? "limitsJobs" : "limits")}</small>
      <input
        name="file"
        type="file"
        accept="audio/*,video/*"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) onFile(file);
          event.target.value = ""; // the same file can be chosen again
        }}
      />
    </label>
  );
}

/** Whether a file is being dragged over the page. A file that misses would otherwise replace the page. */
function useFileDrop(isActive: boolean, onFile: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFile);
  latest.current = onFile;
  useEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault();
      setOver(isActive);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false); // left the window
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (isActive && file) latest.current(file);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, [isActive]);
  return isOver;
}

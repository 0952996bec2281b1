/** Takes a file: dropped, or chosen in a dialog. */
import { type DragEvent, useState } from "react";

export function DropZone({ onFile }: { onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const over = (value: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(value);
  };
  const take = (file: File | undefined) => file && onFile(file);
  return (
    <label
      className={isOver ? "drop over" : "drop"}
      onDragOver={over(true)}
      onDragLeave={over(false)}
      onDrop={(event) => {
        over(false)(event);
        take(event.dataTransfer.files[0]);
      }}
    >
      <span>
        Drop a recording here, or <u>choose a file</u>
      </span>
      <small>Up to 25 MB and 10 minutes</small>
      <input
        name="file"
        type="file"
        accept="audio/*,video/*"
        onChange={(event) => {
          take(event.target.files?.[0]);
          event.target.value = ""; // the same file can be chosen again
        }}
      />
    </label>
  );
}

/** A value that changes with every key, such as what is searched for, once it has been the same for a moment. */
import { useEffect, useState } from "react";

const AFTER_MS = 150;

export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), AFTER_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

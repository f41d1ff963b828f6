import { useEffect, useState } from 'preact/hooks';

/** The width below which the shell has its menu on demand; see shell.css. */
const NARROW = '(max-width: 52rem)';

/** Whether the page is narrow, such as on a telephone. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const note = () => setNarrow(query.matches);
    query.addEventListener('change', note);
    return () => query.removeEventListener('change', note);
  }, []);
  return isNarrow;
}

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorNotice, LoadingRows } from './notices.js';

type Loaded<P> = { component?: ComponentType<P>; error?: unknown };
const known = new Map<unknown, ComponentType<never>>();

/**
 * A part of a page that is a chunk of its own. A chunk that cannot be loaded is an error in the place of the part.
 *
 * @param load the same function each time
 */
export function LazyPart<P extends object>({ load, props }: { load: () => Promise<ComponentType<P>>; props: P }) {
  const [{ component: Part, error }, set] = useState<Loaded<P>>({});
  const [round, setRound] = useState(0);
  const found = (known.get(load) as ComponentType<P> | undefined) ?? Part;
  useEffect(() => {
    if (known.has(load)) return;
    let isGone = false;
    load().then(
      (component) => {
        known.set(load, component as ComponentType<never>);
        if (!isGone) set({ component });
      },
      (reason: unknown) => !isGone && set({ error: reason }),
    );
    return () => {
      isGone = true;
    };
  }, [load, round]);
  if (found) {
    const Known = found as ComponentType<object>;
    return <Known {...props} />;
  }
  if (error !== undefined) return <ErrorNotice error={error} onRetry={() => setRound(round + 1)} />;
  return <LoadingRows />;
}

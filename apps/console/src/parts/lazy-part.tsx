import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { loadChunk } from '../load-chunk.js';
import { LoadingRows } from './notices.js';

type Load<P> = () => Promise<ComponentType<P>>;
/** The parts that are loaded, by the function that loads them. */
const known = new Map<unknown, ComponentType<never>>();

/**
 * A part of a page that is a chunk of its own. If the chunk is missing after a reload, too, the page shows that it failed.
 *
 * @param load the same function each time
 */
export function LazyPart<P extends object>({ load, props }: { load: Load<P>; props: P }) {
  const [failure, setFailure] = useState<{ error: unknown }>();
  const [, render] = useState(0);
  useEffect(() => {
    if (known.has(load)) return undefined;
    let isGone = false;
    const keep = (component: ComponentType<P>) => {
      known.set(load, component as ComponentType<never>);
      if (!isGone) render((count) => count + 1);
    };
    loadChunk(load)
      .then(keep)
      .catch((error: unknown) => !isGone && setFailure({ error }));
    return () => {
      isGone = true;
    };
  }, [load]);
  if (failure) throw failure.error;
  const Part = known.get(load) as ComponentType<object> | undefined;
  return Part ? <Part {...props} /> : <LoadingRows />;
}

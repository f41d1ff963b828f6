import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { loadChunk } from '../load-chunk.js';
import { ErrorNotice, LoadingRows } from './notices.js';

type Load<P> = () => Promise<ComponentType<P>>;
/** The parts that are loaded, by the function that loads them. */
const known = new Map<unknown, ComponentType<never>>();

/**
 * A part of a page that is a chunk of its own. A chunk that cannot be loaded, after a reload either, is an error in the place of the part.
 *
 * @param load the same function each time
 */
export function LazyPart<P extends object>({ load, props }: { load: Load<P>; props: P }) {
  const [failure, setFailure] = useState<{ load: Load<P>; error: unknown }>();
  const [tries, setTries] = useState(0);
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
      .catch((error: unknown) => !isGone && setFailure({ load, error }));
    return () => {
      isGone = true;
    };
  }, [load, tries]);
  const Part = known.get(load) as ComponentType<object> | undefined;
  if (Part) return <Part {...props} />;
  if (failure?.load !== load) return <LoadingRows />;
  const retry = () => {
    setFailure(undefined);
    setTries(tries + 1);
  };
  return <ErrorNotice error={failure.error} onRetry={retry} />;
}

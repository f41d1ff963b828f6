/**
 * Returns a function that loads something at its first call, and returns the same promise to all later calls. If loading fails, the next call
 * loads again: the cause may be a moment without memory or file descriptors.
 */
export function loadOnDemand<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

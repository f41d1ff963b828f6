/** Calls of an action that are not made too often. */
export interface Throttled {
  call: () => void;
  /** Drops what is still wanted. Later calls do nothing. */
  cancel: () => void;
}

/**
 * Calls `act` at once and then at most once in `everyMs`; the last call is never lost.
 *
 * @param everyMs asked after each time, in ms
 */
export function throttled(act: () => void, everyMs: () => number): Throttled {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWanted = false;
  let isCancelled = false;
  const run = () => {
    isWanted = false;
    act();
    timer = setTimeout(() => {
      timer = undefined;
      if (isWanted) run();
    }, everyMs());
  };
  return {
    call: () => {
      if (isCancelled) return;
      if (timer === undefined) run();
      else isWanted = true;
    },
    cancel: () => {
      isCancelled = true;
      clearTimeout(timer);
    },
  };
}

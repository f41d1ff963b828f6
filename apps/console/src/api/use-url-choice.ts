import { useRef } from 'preact/hooks';
import { useUrlQuery } from './use-url-query.js';

/** One of several parts of a page that a reader has chosen, such as a span of a timeline. */
export interface UrlChoice {
  chosen: string;
  /** A choice is a step that Back takes back. Choices by arrow keys in a row are one step together. */
  choose: (key: string, byArrow?: boolean) => void;
}

/**
 * A choice that is in the query of the address.
 *
 * @param pick the key that is shown as chosen for a text of the address, which is '' before a reader has chosen
 */
export function useUrlChoice(name: string, pick: (wanted: string) => string): UrlChoice {
  const { get, set } = useUrlQuery();
  const byArrows = useRef<string | undefined>(undefined);
  return {
    chosen: pick(get(name)),
    choose: (key, byArrow = false) => {
      // The address of now: a click also moves the focus, which chooses once more before the next render.
      const present = new URLSearchParams(location.search).get(name) ?? '';
      if (key === pick(present)) return;
      const continues = byArrow && byArrows.current === present;
      byArrows.current = byArrow ? key : undefined;
      set({ [name]: key }, continues);
    },
  };
}

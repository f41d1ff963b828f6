import { useLocation } from 'preact-iso';
import { useEffect, useRef } from 'preact/hooks';
import { features } from '../api/session.js';
import { isPresent, ROUTES } from '../routes.js';
import { focusFirstFilter, isTyping, singleKeysAllowed } from './single-keys.js';

/** The second key of a pair such as `g i` must follow within this time. */
const PAIR_MS = 1_500;

/** The keys that work on every page. */
export function useShortcuts(open: (what: 'palette' | 'shortcuts') => void): void {
  const { route } = useLocation();
  // It outlives the listener: each page brings another one.
  const goSince = useRef(0);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey) {
        event.preventDefault();
        return open('palette');
      }
      if (isTyping(event) || !singleKeysAllowed()) return undefined;
      const isPair = Date.now() - goSince.current < PAIR_MS;
      goSince.current = event.key === 'g' ? Date.now() : 0;
      const target = isPair ? ROUTES.find(({ key }) => key === event.key) : undefined;
      if (target && isPresent(target, features())) return route(target.path === '/console' ? '/console/' : target.path);
      if (event.key === '?') return open('shortcuts');
      if (event.key === '/' && focusFirstFilter()) event.preventDefault();
      return undefined;
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [open, route]);
}

/** What can have the focus without being a part of the order of tabs. */
const FOCUSABLE = '[tabindex], dialog';

/**
 * Keeps the focus on the page: when the element that has it goes away or is disabled, the nearest part around it that is still there gets
 * it, or `main`. A reader who uses the keyboard then goes on from there.
 *
 * @returns ends it
 */
export function keepFocus(): () => void {
  let last: HTMLElement | undefined;
  let around: readonly HTMLElement[] = [];
  const onFocus = ({ target }: FocusEvent) => {
    last = target instanceof HTMLElement ? target : undefined;
    around = last ? ancestorsOf(last) : [];
  };
  const onBlur = ({ target }: FocusEvent) =>
    queueMicrotask(() => {
      if (target === last && last && isUsable(last)) last = undefined;
    });
  const check = () => {
    if (last === undefined || document.activeElement !== document.body || isUsable(last)) return;
    const next = around.find((element) => element.isConnected) ?? document.querySelector<HTMLElement>('main');
    next?.focus({ preventScroll: true });
  };
  // A page or a dialog that closes sets the focus itself first.
  const observer = new MutationObserver(() => last && requestAnimationFrame(check));
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  addEventListener('focusin', onFocus);
  addEventListener('focusout', onBlur);
  return () => {
    observer.disconnect();
    removeEventListener('focusin', onFocus);
    removeEventListener('focusout', onBlur);
  };
}

function ancestorsOf(element: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let at = element.parentElement?.closest<HTMLElement>(FOCUSABLE); at;) {
    found.push(at);
    at = at.parentElement?.closest<HTMLElement>(FOCUSABLE);
  }
  return found;
}

function isUsable(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(':disabled');
}

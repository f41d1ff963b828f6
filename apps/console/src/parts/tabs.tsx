import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { isTyping, singleKeysAllowed } from '../shell/single-keys.js';

export interface TabItem {
  name: string;
  title: string;
  /** Beside the title: a number of items. */
  count?: number;
}

/** Tabs whose choice is in the URL as `?tab=`. The keys `[` and `]` go to the previous and the next tab. */
export function Tabs({ tabs, children }: { tabs: readonly TabItem[]; children: (name: string) => ComponentChildren }) {
  const { url, query, route } = useLocation();
  const wanted = tabs.findIndex(({ name }) => name === query['tab']);
  const chosen = Math.max(0, wanted);
  const name = tabs[chosen]?.name ?? '';
  const choose = (index: number, mayFocus = false) => {
    const next = tabs[(index + tabs.length) % tabs.length];
    if (!next) return;
    const target = new URL(url, location.origin);
    target.searchParams.set('tab', next.name);
    route(target.pathname + target.search);
    if (mayFocus) document.getElementById(`tab-${next.name}`)?.focus();
  };
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if ((event.key !== '[' && event.key !== ']') || !singleKeysAllowed() || isTyping(event)) return;
      // What had the focus in the panel is gone with it.
      const hadFocus = document.activeElement?.closest('.tab-panel, [role=tablist]') != null;
      choose(chosen + (event.key === '[' ? -1 : 1), hadFocus);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [chosen, url, tabs.length]);
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowLeft: chosen - 1, ArrowRight: chosen + 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (move === undefined) return;
    event.preventDefault();
    choose(move, true);
  };
  return (
    <>
      <div role="tablist" class="tabs" onKeyDown={onKeyDown}>
        {tabs.map((tab, index) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`tab-${tab.name}`}
            data-testid={`tab-${tab.name}`}
            aria-selected={index === chosen}
            aria-controls={`panel-${tab.name}`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => choose(index)}
          >
            {tab.title}
            {tab.count !== undefined && <span class="tab-count">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        class="tab-panel"
        id={`panel-${name}`}
        data-testid={`panel-${name}`}
        aria-labelledby={`tab-${name}`}
        tabIndex={0}
      >
        {children(name)}
      </div>
    </>
  );
}

import type { Whoami } from '@errand/contracts';
import { whoami } from '../../api/session.js';

const KEY = 'errand-views-acme';

describe('The saved views', () => {
  const stored = new Map<string, string>();
  const listeners = new Set<(event: { key: string | null }) => void>();
  /** What another tab has stored. The browser tells this tab unless it has not come so far. */
  const storeElsewhere = (names: readonly string[], isTold = true) => {
    stored.set(KEY, JSON.stringify(names.map((name) => ({ name, search: `?session=${name}` }))));
    if (isTold) for (const listener of listeners) listener({ key: KEY });
  };
  let views: typeof import('./saved-views.js');
  const names = () => views.savedViews().map(({ name }) => name);

  beforeAll(async () => {
    Object.assign(globalThis, {
      addEventListener: (type: string, listener: (event: { key: string | null }) => void) =>
        type === 'storage' && listeners.add(listener),
      localStorage: {
        getItem: (name: string) => stored.get(name) ?? null,
        setItem: (name: string, text: string) => stored.set(name, text),
      },
    });
    views = await import('./saved-views.js');
  });
  afterAll(() => {
    for (const name of ['addEventListener', 'localStorage']) Reflect.deleteProperty(globalThis, name);
  });
  beforeEach(() => {
    whoami.value = { tenant: 'acme' } as Whoami;
    stored.clear();
    for (const listener of listeners) listener({ key: null });
  });

  it('A view that another tab has saved stays when this tab saves or removes one', () => {
    views.saveView('mine', '?session=a');
    storeElsewhere(['mine', 'theirs'], false);
    views.saveView('second', '?session=b');
    expect(names()).toEqual(['mine', 'theirs', 'second']);
    storeElsewhere(['mine', 'theirs', 'second', 'third'], false);
    views.removeView('mine');
    expect(names()).toEqual(['theirs', 'second', 'third']);
    expect(views.parseViews(stored.get(KEY) ?? null).map(({ name }) => name)).toEqual(names());
  });

  it('A view that another tab saves or removes appears or goes in this tab', () => {
    expect(names()).toEqual([]);
    storeElsewhere(['theirs']);
    expect(names()).toEqual(['theirs']);
    storeElsewhere([]);
    expect(names()).toEqual([]);
  });
});

import type { InboxItem, Whoami } from '@errand/contracts';
import { chooseTenant } from '../../api/acting-tenant.js';
import { logOut, whoami } from '../../api/session.js';
import { readDraft as readText, saveDraft } from '../try/draft.js';
import { keepToolDraft, readToolDraft } from '../try/tool-draft.js';
import { dropDraft, keepDraft, readDraft, readDrafts } from './answer-drafts.js';

const OPERATOR = { tenant: 'default', scopes: ['admin'] } as unknown as Whoami;
const draftFor = (id: string) => ({ item: { id } as InboxItem, text: `answer to ${id}`, reason: '' });
const actFor = (tenant: string) => chooseTenant({ tenant: 'default', isOperator: true }, `/console/?tenant=${tenant}`);

/** The storage of a browser: its names are its keys, as `Object.keys` reads them. */
class FakeStorage {
  [name: string]: unknown;
}
Object.defineProperties(FakeStorage.prototype, {
  getItem: { value: (name: string) => Reflect.get(stored, name) ?? null },
  setItem: { value: (name: string, text: string) => Reflect.set(stored, name, text) },
  removeItem: { value: (name: string) => Reflect.deleteProperty(stored, name) },
});
let stored = new FakeStorage();

describe('What the browser keeps of a tenant', () => {
  const reload = jest.fn();
  beforeEach(() => {
    stored = new FakeStorage();
    Object.assign(globalThis, { localStorage: stored, sessionStorage: {}, location: { reload } });
    whoami.value = OPERATOR;
    actFor('default');
  });
  afterAll(() => {
    for (const name of ['localStorage', 'sessionStorage', 'location']) Reflect.deleteProperty(globalThis, name);
  });

  it('A half-typed answer is not among those of another tenant', () => {
    keepDraft(draftFor('one'));
    actFor('acme');
    expect(readDrafts()).toEqual([]);
    expect(readDraft('one')).toBeUndefined();
    keepDraft(draftFor('two'));
    // The name of this tenant begins with that of the other one.
    actFor('acme-2');
    expect(readDrafts()).toEqual([]);
    actFor('acme');
    expect(readDrafts().map(({ item }) => item.id)).toEqual(['two']);
    dropDraft('one');
    actFor('default');
    expect(readDrafts()).toEqual([draftFor('one')]);
  });

  it('The texts that a person tries belong to the tenant for which they were typed', () => {
    saveDraft('own text');
    keepToolDraft('core:echo', '{"value": 1}');
    actFor('acme');
    expect([readText(), readToolDraft('core:echo')]).toEqual(['', undefined]);
    saveDraft('text of acme');
    actFor('default');
    expect([readText(), readToolDraft('core:echo')]).toEqual(['own text', '{"value": 1}']);
  });

  it('A draft for which the storage has no room lives as long as the page', () => {
    Object.defineProperty(stored, 'setItem', {
      value: () => {
        throw new Error('QuotaExceededError');
      },
    });
    saveDraft('a long text');
    expect(readText()).toBe('a long text');
    actFor('acme');
    expect(readText()).toBe('');
  });

  it('A logout deletes the drafts of all tenants', async () => {
    for (const tenant of ['default', 'acme']) {
      actFor(tenant);
      keepDraft(draftFor('one'));
      saveDraft('text');
      keepToolDraft('core:echo', '{}');
    }
    stored['errand-theme'] = 'dark';
    const fetching = jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(null, { status: 204 }));
    await logOut();
    fetching.mockRestore();
    expect(Object.entries(stored)).toEqual([['errand-theme', 'dark']]);
    expect(reload).toHaveBeenCalled();
  });
});

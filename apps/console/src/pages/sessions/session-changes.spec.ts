import { concernsSession, hasAgent } from './session-changes.js';

const event = (name: string, data: unknown = {}) => ({ event: name, data, id: '1' });

describe('The events of the feed that change a session', () => {
  it('A session changes by its invocations and refusals, and not by those of another session or of none', () => {
    for (const name of ['invocation', 'refusal']) {
      expect(concernsSession(event(name, { session: 'a' }), 'a')).toBe(true);
      expect(concernsSession(event(name, { session: 'b' }), 'a')).toBe(false);
      expect(concernsSession(event(name, { session: null }), 'a')).toBe(false);
    }
  });

  it('A session may have changed where the feed has left changes out', () => {
    expect(concernsSession(event('dropped', { count: 7 }), 'a')).toBe(true);
  });

  it('A session does not change by other events', () => {
    for (const name of ['queue', 'process', 'inbox', 'library', 'followed'])
      expect(concernsSession(event(name, { session: 'a' }), 'a')).toBe(false);
  });

  it('An invocation of an agent may begin a conversation', () => {
    expect(hasAgent(event('invocation', { agent: 'demo' }))).toBe(true);
    expect(hasAgent(event('invocation', { agent: null }))).toBe(false);
    expect(hasAgent(event('refusal', { agent: 'demo' }))).toBe(false);
  });
});

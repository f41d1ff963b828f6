import { Patience } from './patience.js';

function waiting() {
  const open = new Set<Patience>();
  const client: { abort?: (() => void) | undefined } = {};
  const patience = new Patience((abort) => {
    client.abort = abort;
    return () => (client.abort = undefined);
  }, open);
  return { open, client, patience };
}

describe('The patience of a client', () => {
  it('A disconnection calls each listener once, and not those that were removed', () => {
    const { client, patience } = waiting();
    const heard: string[] = [];
    const removed = () => heard.push('removed');
    patience.addEventListener('abort', () => heard.push('first'));
    patience.addEventListener('abort', removed);
    patience.removeEventListener('abort', removed);
    expect(patience.aborted).toBe(false);
    client.abort?.();
    client.abort?.();
    expect([patience.aborted, heard]).toEqual([true, ['first']]);
  });

  it('An ended wait leaves no listener at the client, and is not open', () => {
    const { open, client, patience } = waiting();
    expect([...open]).toEqual([patience]);
    patience.end();
    expect([open.size, client.abort]).toEqual([0, undefined]);
  });
});

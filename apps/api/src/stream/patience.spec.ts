import { OpenWaits } from './open-waits.js';
import { Patience } from './patience.js';

function waiting(open = new OpenWaits<Patience>()) {
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
    expect(open.size).toBe(1);
    patience.end();
    expect([open.size, client.abort]).toEqual([0, undefined]);
  });

  it('When the server closes, all waits are aborted, and those that begin later are aborted from their begin', () => {
    const { open, patience } = waiting();
    const heard: string[] = [];
    patience.addEventListener('abort', () => heard.push('aborted'));
    const ended = waiting(open).patience;
    ended.end();
    open.abortAll();
    expect([patience.aborted, heard, ended.aborted]).toEqual([true, ['aborted'], false]);
    const { patience: late, client } = waiting(open);
    expect(late.aborted).toBe(true);
    late.end();
    patience.end();
    expect([open.size, client.abort]).toEqual([0, undefined]);
  });
});

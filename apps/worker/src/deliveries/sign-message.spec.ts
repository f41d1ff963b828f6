import { Webhook } from 'standardwebhooks';
import { signMessage } from './deliver-callback.js';

const secretOf = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;
const message = { webhookId: 'msg_1', at: new Date(), body: '{"type":"invocation.succeeded","text":"ü–🎈"}' };

describe('The signature of a message', () => {
  it('The library of Standard Webhooks verifies a signature', () => {
    const headers = signMessage(message, [secretOf(1)]);
    expect(new Webhook(secretOf(1)).verify(message.body, headers)).toMatchObject({ type: 'invocation.succeeded' });
  });

  it('A message has a signature of each secret, so that a receiver needs only one of them', () => {
    const headers = signMessage(message, [secretOf(1), secretOf(2)]);
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const known of [1, 2]) expect(() => new Webhook(secretOf(known)).verify(message.body, headers)).not.toThrow();
    expect(() => new Webhook(secretOf(3)).verify(message.body, headers)).toThrow('No matching signature');
  });

  it.each([
    ['body', { body: `${message.body} ` }],
    ['id', { headers: { 'webhook-id': 'msg_2' } }],
    ['time', { headers: { 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) + 60) } }],
  ])(
    'A signature is not valid for another %s',
    (_what, { body = message.body, headers = {} }: { body?: string; headers?: object }) => {
      const signed = signMessage(message, [secretOf(1)]);
      expect(() => new Webhook(secretOf(1)).verify(body, { ...signed, ...headers })).toThrow('No matching signature');
    },
  );

  it('An old signature is not valid', () => {
    const signed = signMessage({ ...message, at: new Date(Date.now() - 6 * 60_000) }, [secretOf(1)]);
    expect(() => new Webhook(secretOf(1)).verify(message.body, signed)).toThrow('too old');
  });
});

import { hideSecrets } from './hide-secrets.js';

it('The dashboard shows no secret of a callback or of a push configuration', () => {
  const authentication = { scheme: 'Bearer', credentials: 'secret 1' };
  const data = {
    tenant: 'default',
    callback: { url: 'https://x.example', secret: 'secret 2' },
    push: { id: 'p', version: '1.0', token: 'secret 3', authentication },
  };
  const shown = hideSecrets(data);
  expect(JSON.stringify(shown)).not.toContain('secret ');
  expect(shown).toMatchObject({ tenant: 'default', callback: { url: 'https://x.example' }, push: { id: 'p' } });
});

it.each([null, 'text', { calls: [] }, { callback: { url: 'x' } }, { push: { id: 'p' } }])(
  'Data without secrets, such as %j, stays as it is',
  (data) => {
    expect(hideSecrets(data)).toEqual(data);
  },
);

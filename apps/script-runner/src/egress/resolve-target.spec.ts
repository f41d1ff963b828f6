import { parseEgressPolicy } from './egress-policy.js';
import { parseHostPattern } from './host-pattern.js';
import { resolveTarget } from './resolve-target.js';

const PUBLIC = '93.184.216.34';

/** The addresses to which `web:fetch` may connect if its name resolves to `addresses`. @throws EgressRefused */
async function addressesOf(target: string, asked: string[], allowed: string[], addresses: string[] = [PUBLIC]) {
  const { hostname, port } = new URL(`connect://${target}`);
  const request = { toolId: 'web:fetch', toolHosts: asked.map(parseHostPattern), host: hostname, port: Number(port) };
  const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (await resolveTarget(request, parseEgressPolicy(allowed), resolve)).map(({ address }) => address);
}

/** Like addressesOf, with the message of an error in place of the error. */
function reach(...wish: Parameters<typeof addressesOf>): Promise<string[] | string> {
  return addressesOf(...wish).catch((error: Error) => error.message);
}

function refusal(...wish: Parameters<typeof addressesOf>): Promise<unknown> {
  return addressesOf(...wish).catch((error: unknown) => error);
}

describe('resolveTarget', () => {
  it('resolveTarget returns every address of a host that the tool and the operator allow', async () => {
    const addresses = [PUBLIC, '2606:2800:220:1::1'];
    expect(await reach('api.example:443', ['api.example'], ['*.example'], addresses)).toEqual(addresses);
  });

  it('A refused script gets the reason, and only the operator gets the hint', async () => {
    expect(await refusal('api.example:443', ['other.example'], ['*'])).toMatchObject({
      message: 'web:fetch may not reach api.example:443: its definition does not name it.',
      hint: 'To allow it, add "api.example" to securityContext.networkAccess.allowHosts of the tool.',
    });
    expect(await refusal('db.example:5432', ['*:5432'], [])).toMatchObject({
      message: 'web:fetch may not reach db.example:5432: this installation does not allow it.',
      hint: 'To allow it, add db.example:5432 to ERRAND_EGRESS_ALLOW of the script-runner.',
    });
    expect(await refusal('db.example:80', ['*'], ['*'], ['10.0.0.1'])).toMatchObject({
      message: expect.not.stringContaining('ERRAND_'),
      hint: 'To allow it, add the address or its network to ERRAND_EGRESS_ALLOW of the script-runner.',
    });
  });

  it.each([
    ['loopback', ['127.0.0.1']],
    ['private', ['10.0.0.1']],
    ['metadata', ['169.254.169.254']],
    ['one private among public addresses', [PUBLIC, '192.168.1.1']],
    ['mapped', ['::ffff:127.0.0.1']],
    ['carrier-grade NAT', ['100.64.0.1']],
    ['unique local', ['fd00::1']],
  ])('A name that resolves to a special address is refused: %s', async (_what, addresses) => {
    expect(await reach('api.example:80', ['*'], ['*'], addresses)).toMatch(/^web:fetch may not reach .* is not public/);
  });

  it('A special address in place of a name is refused as well', async () => {
    expect(await reach('127.0.0.1:80', ['127.0.0.1'], ['*'])).toMatch(/is not public \(loopback\)/);
    expect(await reach('[::1]:80', ['*'], ['*'])).toMatch(/is not public \(loopback\)/);
  });

  it('A private address is allowed only if the operator names its network', async () => {
    const networks = ['10.1.0.0/16', '*.example'];
    expect(await reach('10.1.2.3:80', ['10.1.2.3'], networks)).toEqual(['10.1.2.3']);
    expect(await reach('db.example:80', ['db.example'], networks, ['10.1.2.3'])).toEqual(['10.1.2.3']);
    expect(await reach('db.example:80', ['db.example'], networks, ['10.2.0.1'])).toMatch(/10\.2\.0\.1 is not public/);
    expect(await reach('db.other:80', ['db.other'], networks, ['10.1.2.3'])).toMatch(
      /this installation does not allow/,
    );
  });

  it('A name without an address is refused with an error that says so', async () => {
    expect(await reach('api.example:80', ['*'], ['*'], [])).toBe(
      'api.example:80 cannot be reached: its name has no address',
    );
  });
});

describe('parseEgressPolicy', () => {
  it('parseEgressPolicy refuses an entry that is neither a host nor a network', () => {
    expect(() => parseEgressPolicy(['https://x'])).toThrow("'https://x' must be a host");
    expect(() => parseEgressPolicy(['10.0.0.1/8'])).toThrow('is not a network');
  });
});

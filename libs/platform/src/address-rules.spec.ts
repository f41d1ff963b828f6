import { addressFault, ALLOW_NOTHING, checkCallbackUrl, parseAllowList } from './address-rules.js';

const SPECIAL = [
  // Loopback and unspecified addresses in all spellings that new URL accepts.
  'http://127.0.0.1/',
  'http://127.1/',
  'http://127.0.1/',
  'http://2130706433/',
  'http://017700000001/',
  'http://0177.0.0.1/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://127.0.0.1./',
  'http://①②⑦.⓪.⓪.①/',
  'http://１２７。０。０。１/',
  'http://127%2e0.0.1/',
  'http://127.255.255.254/',
  'http://0/',
  'http://0.0.0.0:6379/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://any.localhost/',
  // Private, link-local, CGNAT and metadata addresses.
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xA9FEA9FE/',
  'http://0251.0376.0251.0376/',
  'http://[::ffff:169.254.169.254]/',
  'http://100.64.0.1/',
  'http://100.100.100.200/',
  'http://168.63.129.16/',
  'http://[::ffff:168.63.129.16]/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fec0::1]/',
  // Tunnels to IPv4, multicast and reserved addresses.
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b:1::a9fe:a9fe]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:7f00:1::]/',
  'http://[::ffff:0:7f00:1]/',
  'http://224.0.0.1/',
  'http://[ff02::1]/',
  'http://255.255.255.255/',
  'http://240.0.0.1/',
  'http://192.0.2.1/',
  'http://198.18.0.1/',
  'http://192.88.99.1/',
  'http://[2001:db8::1]/',
  'http://[4000::1]/',
  'http://[100::1]/',
  'http://metadata.google.internal./computeMetadata/v1/',
  'http://METADATA/',
];

describe('Addresses from data', () => {
  it.each(SPECIAL)('The special address %s is refused', (address) => {
    expect(() => checkCallbackUrl(address, ALLOW_NOTHING)).toThrow(
      expect.objectContaining({ type: 'SecurityError', message: expect.stringMatching(/not public|this machine/) }),
    );
  });

  it.each([
    ['ftp://example.com/', 'only http and https'],
    ['file:///etc/passwd', 'only http and https'],
    ['javascript:alert(1)', 'only http and https'],
    ['unix:/var/run/docker.sock', 'only http and https'],
    ['https://user:secret@example.com/', 'user name or password'],
    ['https://user@example.com/', 'user name or password'],
    ['https://@example.com/', 'user name or password'],
    ['https:/\\:@example.com/', 'user name or password'],
    ['https:@example.com', 'user name or password'],
    [' https://example.com/', 'must be an absolute address'],
    ['ht\ntps://example.com/', 'must be an absolute address'],
    ['https://example.com/\r\nx: y', 'must be an absolute address'],
    ['//example.com/', 'must be an absolute address'],
    ['/path', 'must be an absolute address'],
    ['', 'must be an absolute address'],
    ['http://256.0.0.1/', 'must be an absolute address'],
    ['http://[::1%25lo]/', 'must be an absolute address'],
  ])('The address %s is refused: %s', (address, reason) => {
    expect(() => checkCallbackUrl(address, ALLOW_NOTHING)).toThrow(reason);
  });

  const part = 'a'.repeat(63);
  const longest = `${part}.${part}.${part}.${'a'.repeat(61)}`;

  it('An address with the longest host of DNS is accepted', () => {
    for (const host of [longest, `${longest}.`, longest.toUpperCase()])
      expect(checkCallbackUrl(`https://${host}/`, ALLOW_NOTHING).hostname).toBe(host.toLowerCase());
  });

  it.each([
    ['254 characters', `${longest}a`.replace('.', 'a.'), '253'],
    ['254 characters in short parts', 'a.'.repeat(126) + 'ab', '253'],
    ['254 characters and a dot at its end', `${'a.'.repeat(126)}ab.`, '253'],
    ['1,500 characters', 'a'.repeat(1_500), '1500 characters, and a host has at most 253'],
    ['a part of 64 characters', `${part}a.example`, '64 characters, and a part between dots has at most 63'],
    ['a part of 64 characters at its end', `example.${part}a`, 'at most 63'],
    ['64 characters in its ASCII form', `${'ü'.repeat(60)}.example`, 'at most 63'],
  ])('An address with a host of %s is refused', (_what, host, reason) => {
    for (const allow of ['', '*.example', '*.aa', '0.0.0.0/0'].map(parseAllowList))
      expect(() => checkCallbackUrl(`https://${host}/hook`, allow)).toThrow(
        expect.objectContaining({ type: 'SecurityError', message: expect.stringContaining(reason) }),
      );
  });

  it('The error does not repeat secrets of the address', () => {
    expect(() => checkCallbackUrl('http://me:secret@127.0.0.1/?key=secret', ALLOW_NOTHING)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
  });

  it.each([
    'https://example.com/@me',
    'https://example.com/?@',
    'https://example.com/hook',
    'http://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://127.0.0.1.nip.io/',
  ])('The address %s is accepted, because its resolved address is checked at the connection', (address) => {
    expect(checkCallbackUrl(address, ALLOW_NOTHING).href).toBe(address);
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:9/', true],
    ['127.0.0.1', 'http://0x7f.1/', true],
    ['127.0.0.1', 'http://127.0.0.2/', false],
    ['127.0.0.0/8', 'http://[::ffff:127.9.9.9]/', true],
    ['::1', 'http://[::1]/', true],
    ['[::1]', 'http://[::1]/', true],
    ['fd00::/8', 'http://[fd12::1]/', true],
    ['fd00::/8', 'http://10.0.0.1/', false],
    ['localhost', 'http://localhost:3000/', true],
    ['localhost', 'http://127.0.0.1/', false],
    ['*.corp.example', 'http://a.corp.example/', true],
    ['10.0.0.0/8 192.168.0.0/16, 127.0.0.1', 'http://192.168.7.7/', true],
  ])('With %s allowed, the address %s passes: %s', (allow, address, passes) => {
    const check = () => checkCallbackUrl(address, parseAllowList(allow));
    if (passes) expect(check).not.toThrow();
    else expect(check).toThrow('is not public');
  });
});

describe('ERRAND_CALLBACK_ALLOW', () => {
  it.each([
    '*',
    '*.',
    'http://example.com',
    'example.com:8080',
    'example.com/path',
    'a..b',
    '-a.example',
    'a.*.example',
    '10.0.0.0/33',
    '10.0.0.1/8',
    'fd00::1/8',
    '127.1',
    '0x7f.1',
    '300.0.0.1',
    '10.0.0/8',
    '::g',
    `${'a'.repeat(64)}.example`,
    'a.'.repeat(126) + 'ab',
    `*.${'a.'.repeat(125)}abc`,
    `*.${'a'.repeat(64)}`,
  ])('The setting refuses %s', (entry) => {
    expect(() => parseAllowList(entry)).toThrow(`'${entry.slice(0, 100)}'`);
  });

  it('The setting accepts hosts and networks in any order', () => {
    expect(parseAllowList(' Hooks.Example,*.b.example  10.0.0.0/8 ').hosts).toEqual(['hooks.example', '*.b.example']);
    expect(parseAllowList('')).toEqual(ALLOW_NOTHING);
  });
});

describe('Addresses from DNS', () => {
  it.each(['', 'x', '127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::a00:1', 'fe80::1%eth0'])(
    'The resolved address %s is refused',
    (address) => {
      expect(addressFault(address, ALLOW_NOTHING)).toBeTruthy();
    },
  );
});

import { readAddress } from './read-address.js';

describe('The address of an Errand', () => {
  it.each([
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000'],
    ['HTTPS://Errand.Example', 'https://errand.example'],
    ['https://tools.example/errand/', 'https://tools.example/errand'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('The address %s is read as %s', (text, url) => {
    expect(readAddress(text, '--url')).toBe(url);
  });

  it.each([
    ['localhost:3000', /--url has no scheme, did you mean http:\/\/localhost:3000\?/],
    ['127.0.0.1:3000/', /did you mean http:\/\/127\.0\.0\.1:3000\/\?/],
    ['errand.example', /did you mean https:\/\/errand\.example\?/],
    ['localhost.example', /did you mean https:\/\/localhost\.example\?/],
    ['', /must be an address such as/],
    ['   ', /must be an address such as/],
    ['http://', /must be an address such as/],
    ['http://a b', /must be an address such as/],
    ['redis://127.0.0.1:6379', /must begin with http:\/\/ or https:\/\//],
    ['file:///etc/passwd', /must begin with http/],
    ['http://errand.example/v1', /must end before \/v1: http:\/\/errand\.example$/],
    ['http://errand.example/v1/invocations', /must end before \/v1: http:\/\/errand\.example$/],
    ['http://errand.example/?key=1', /must end before \? and #/],
  ])('The address %j is refused with the reason', (text, message) => {
    expect(() => readAddress(text, '--url')).toThrow(message);
  });

  it('A password in an address is refused without its text', () => {
    expect(() => readAddress('https://ada:hunter22@errand.example', '--url')).toThrow(/^(?!.*hunter22).*password/);
  });
});

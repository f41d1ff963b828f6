import { ProblemError } from '../http/problem-error.js';
import { refuseCrossSite } from './refuse-cross-site.js';

const OWN = ['http://localhost:3000', 'https://errand.example'];
const EXEMPT = ['https://app.example'];
const post = (headers: Record<string, string>) => ({ method: 'POST', headers });

it.each([
  ['of a client that is no browser', {}],
  ['of a page of this server', { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:3000' }],
  ['of the public address', { 'sec-fetch-site': 'same-origin', origin: 'https://errand.example' }],
  ['of a person', { 'sec-fetch-site': 'none' }],
  ['of an exempt origin', { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' }],
])('A change %s is let through', (_of, headers) => {
  expect(() => refuseCrossSite(post(headers), OWN, EXEMPT)).not.toThrow();
});

it.each([
  ['of another site', { 'sec-fetch-site': 'cross-site' }],
  ['of a neighbouring host', { 'sec-fetch-site': 'same-site' }],
  ['with an unknown Sec-Fetch-Site', { 'sec-fetch-site': 'later-value' }],
  ['of a foreign origin', { origin: 'https://evil.example' }],
  ['of a sandboxed frame', { origin: 'null' }],
  ['of another site that claims the own origin', { 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3000' }],
])('A change %s is refused', (_of, headers) => {
  expect(() => refuseCrossSite(post(headers), OWN, EXEMPT)).toThrow(ProblemError);
});

it('An origin is exempt only where the caller says so', () => {
  expect(() => refuseCrossSite(post({ origin: 'https://app.example' }), OWN)).toThrow(ProblemError);
});

it.each(['GET', 'HEAD', 'OPTIONS'])('A %s of another site is let through, because it changes nothing', (method) => {
  expect(() => refuseCrossSite({ method, headers: { 'sec-fetch-site': 'cross-site' } }, OWN)).not.toThrow();
});

/*
Attack: reach the internet, the host or the metadata service of the cloud.
Defence: `NetworkMode: none`; loopback is the only interface.
Expect: []
*/
import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { report } from './attempts.js';

const dial = (host, port) => () =>
  new Promise((resolve, reject) => connect({ host, port, timeout: 2000 }, resolve).on('error', reject));

await report({
  internet: dial('1.1.1.1', 443),
  metadata: dial('169.254.169.254', 80),
  bridge: dial('172.17.0.1', 22),
  names: () => lookup('example.com'),
  fetch: () => fetch('http://1.1.1.1/'),
});

/*
Attack: talk to the container engine, which would be root on the host.
Defence: no file of the host is mounted into the sandbox; abstract sockets belong to a separate network namespace.
Expect: []
*/
import { connect } from 'node:net';
import { report } from './attempts.js';

const reach = (path) => () =>
  new Promise((resolve, reject) =>
    connect(path)
      .once('connect', () => resolve(true))
      .once('error', reject),
  );

await report({
  docker: reach('/var/run/docker.sock'),
  dockerRun: reach('/run/docker.sock'),
  containerd: reach('/run/containerd/containerd.sock'),
});

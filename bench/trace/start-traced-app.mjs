/**
 * Starts one process of Errand like start-app.mjs and notes when it passes the points of a run. It replaces methods of the built classes, so
 * the product has no code for this. The parent asks for the times with the message `collect`.
 */
import { subscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { now } from './points.mjs';

const require = createRequire(import.meta.url);
const passed = new Map();
/** Notes the first time after the last `collect`; with `again`, the last one. */
const note = (name, again = false) => (again || !passed.has(name)) && void passed.set(name, now());

/** Notes when a method is called, and when its result is there. */
function watch(path, className, method, { called, settled, again }) {
  const { prototype } = require(`../../dist/${path}`)[className];
  const original = prototype[method];
  prototype[method] = function (...args) {
    if (called) note(called, again);
    const result = original.apply(this, args);
    if (settled)
      Promise.resolve(result).then(
        () => note(settled, again),
        () => {},
      );
    return result;
  };
}

/** Notes Redis commands: when they are sent and when their replies come. */
function watchRedis(pointsOf) {
  const { prototype } = require('ioredis').Redis;
  const { sendCommand } = prototype;
  prototype.sendCommand = function (command, stream) {
    const { sent, replied } = pointsOf(command) ?? {};
    if (sent) note(sent);
    if (replied)
      command.promise.then(
        () => note(replied),
        () => {},
      );
    return sendCommand.call(this, command, stream);
  };
}

const runner = 'apps/script-runner/src';
const watchApp = {
  api() {
    subscribe('http.server.request.start', () => note('request parsed'));
    subscribe('http.server.response.finish', () => note('response written'));
    watch('apps/api/src/submit/submit-invocation.js', 'SubmitInvocation', 'accept', {
      called: 'request validated',
    });
    watch('libs/queue/src/suspend/notifications.js', 'NotificationHub', 'dispatch', {
      called: 'waiter notified',
      again: true,
    });
    watchRedis(({ name }) => (name === 'evalsha' ? { sent: 'enqueue sent' } : undefined));
  },
  worker() {},
  runner() {
    watch('libs/queue/src/consume/run-job.js', 'JobRunner', 'run', {
      called: 'job taken',
    });
    watch(`${runner}/prepare-run.js`, 'PrepareRun', 'prepare', { settled: 'run prepared' });
    watch(`${runner}/sandbox/acquire-container.js`, 'ContainerAllocator', 'acquire', { settled: 'container chosen' });
    watch(`${runner}/sandbox/protocol/channel.js`, 'SupervisorChannel', 'send', { called: 'request written' });
    watch(`${runner}/sandbox/protocol/response.js`, 'ResponseReader', 'push', { called: 'response came' });
    watch(`${runner}/sandbox/docker-sandbox.js`, 'DockerSandbox', 'run', { settled: 'result known' });
    watch(`${runner}/sandbox/container.js`, 'SandboxContainer', 'release', { settled: 'container gone' });
    watchRedis(({ name }) => {
      if (name === 'bzpopmin') return { replied: 'marker seen' };
      return name === 'evalsha' && passed.has('result known')
        ? { sent: 'finish sent', replied: 'job finished' }
        : undefined;
    });
  },
};

const app = process.env.APP;
watchApp[app]();
await import('../start-app.mjs');
process.on('message', (message) => {
  if (message !== 'collect') return;
  process.send({ app, passed: [...passed] });
  passed.clear();
});

// Starts one process of Errand as its main.js does, and sends `{ready}` to the parent.
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);

const [app, start] = {
  api: ['api', 'startApi'],
  worker: ['worker', 'startWorker'],
  runner: ['script-runner', 'startScriptRunner'],
}[process.env.APP];
delete process.env.APP;
const running = await require(`../dist/apps/${app}/src/start.js`)[start](process.env);
process.send({ ready: running.url ?? true });

/**
 * The points of a run from the HTTP request to its response, in their order. `app`: the process that passes the point. Points of the
 * script are in its result; `client` is the benchmark itself.
 */
export const POINTS = [
  { app: 'api', name: 'request parsed', part: 'HTTP client, socket, parser' },
  { app: 'api', name: 'request validated', part: 'API: route, key, validation' },
  { app: 'api', name: 'enqueue sent', part: 'API: tool, arguments, record' },
  { app: 'runner', name: 'marker seen', part: 'Redis: enqueue; wake the script-runner' },
  { app: 'runner', name: 'job taken', part: 'script-runner: take the job' },
  { app: 'runner', name: 'run prepared', part: 'script-runner: definition, resources' },
  { app: 'runner', name: 'container chosen', part: 'script-runner: request, container' },
  { app: 'runner', name: 'request written', part: 'script-runner: write' },
  { app: 'script', name: 'first line', part: 'engine, supervisor, waiting process' },
  { app: 'script', name: 'last line', part: 'the script' },
  { app: 'runner', name: 'response came', part: 'end of the process, supervisor, engine' },
  { app: 'runner', name: 'result known', part: 'script-runner: read the response' },
  { app: 'runner', name: 'finish sent', part: 'script-runner: outcome' },
  { app: 'api', name: 'waiter notified', part: 'Redis: finish; notification' },
  { app: 'api', name: 'response written', part: 'API: the result of the notification, response' },
  { app: 'client', name: 'result', part: 'socket, HTTP client' },
];

/** Points after the response, which no caller waits for. */
export const LATER = [
  { app: 'runner', name: 'job finished', part: 'the reply to the finish' },
  { app: 'runner', name: 'container gone', part: 'the end of the container' },
];

/** Milliseconds since 1970, with fractions. */
export const now = () => performance.timeOrigin + performance.now();

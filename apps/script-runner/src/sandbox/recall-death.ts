import type Docker from 'dockerode';

const SIGTERM = '15';

/** How a container ended. */
export interface Death {
  exitCode: number;
  outOfMemory: boolean;
  /** The engine has asked it to end: because it shut down itself, or because somebody wished so. */
  wasStopped: boolean;
}

interface EngineEvent {
  Action: string;
  Actor: { Attributes: Record<string, string> };
}

/**
 * How a container ended that has been removed already, by the engine's memory of its last events (256 of them);
 * undefined when it has none, as after a restart of the engine.
 * @param since a time before the container was made, in ms since 1970
 */
export async function recallDeath(docker: Docker, container: string, since: number): Promise<Death | undefined> {
  const stream = await docker.getEvents({
    since: since / 1000,
    until: Date.now() / 1000,
    filters: { type: ['container'], container: [container], event: ['oom', 'kill', 'die'] },
  });
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  const events = text.split('\n').filter(Boolean).map(parse);
  const death = events.find((event) => event.Action === 'die');
  if (death === undefined) return undefined;
  return {
    exitCode: Number(death.Actor.Attributes.exitCode),
    outOfMemory: events.some(({ Action }) => Action === 'oom'),
    // Only an engine sends this event: the signal of a process inside does not make one. SIGKILL is what the runner sends itself.
    wasStopped: events.some(({ Action, Actor }) => Action === 'kill' && Actor.Attributes.signal === SIGTERM),
  };
}

function parse(line: string): EngineEvent {
  const event: EngineEvent = JSON.parse(line);
  return event;
}

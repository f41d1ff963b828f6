import type Docker from 'dockerode';

/** How a container ended. */
export interface Death {
  exitCode: number;
  outOfMemory: boolean;
  /** The engine signalled it before it ended: an operator stopped, killed or removed it, or the engine shut down. */
  byEngine: boolean;
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
  const diedAt = events.findIndex(({ Action }) => Action === 'die');
  const death = events[diedAt];
  if (death === undefined) return undefined;
  return {
    exitCode: Number(death.Actor.Attributes.exitCode),
    outOfMemory: events.some(({ Action }) => Action === 'oom'),
    // Only the engine emits this event. A signal from a process inside emits none, and neither does the kernel's for want of memory.
    byEngine: events.slice(0, diedAt).some(({ Action }) => Action === 'kill'),
  };
}

function parse(line: string): EngineEvent {
  const event: EngineEvent = JSON.parse(line);
  return event;
}

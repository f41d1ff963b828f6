import type Docker from 'dockerode';

interface EngineEvent {
  Action: string;
  Actor: { Attributes: Record<string, string> };
}

/**
 * How a container ended that has been removed already, by the engine's memory of its last events (256 of them);
 * undefined when it has none, as after a restart of the engine.
 * @param since a time before the container was made, in ms since 1970
 */
export async function recallDeath(
  docker: Docker,
  container: string,
  since: number,
): Promise<{ exitCode: number; outOfMemory: boolean } | undefined> {
  const stream = await docker.getEvents({
    since: since / 1000,
    until: Date.now() / 1000,
    filters: { type: ['container'], container: [container], event: ['oom', 'die'] },
  });
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  const events = text.split('\n').filter(Boolean).map(parse);
  const death = events.find((event) => event.Action === 'die');
  if (death === undefined) return undefined;
  const outOfMemory = events.some((event) => event.Action === 'oom');
  return { exitCode: Number(death.Actor.Attributes.exitCode), outOfMemory };
}

function parse(line: string): EngineEvent {
  const event: EngineEvent = JSON.parse(line);
  return event;
}

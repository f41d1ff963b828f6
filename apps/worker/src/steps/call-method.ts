import {
  own,
  ToolError,
  type Implementation,
  type Json,
  type JsonObject,
  type ServiceContext,
  type ServiceType,
} from '@errand/contracts';

type ServiceCall = Extract<Implementation, { type: 'service' }>;

/**
 * Calls a method of a service. If the method ignores the signal, the call ends without it.
 * @throws a ToolError that the method threw, else ServiceError; the signal's reason
 */
export async function callService(
  services: ReadonlyMap<string, ServiceType>,
  { serviceName, methodName }: ServiceCall,
  args: JsonObject,
  context: ServiceContext,
): Promise<Json> {
  const { signal } = context;
  const method = own(services.get(serviceName)?.methods, methodName);
  if (!method) throw new ToolError('ServiceError', `The service ${serviceName} offers no method ${methodName}`);
  signal.throwIfAborted();
  const stopped = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([method(args, context), stopped]);
  } catch (error) {
    if (error instanceof ToolError || signal.aborted) throw error;
    throw new ToolError('ServiceError', error instanceof Error ? error.message : String(error), undefined, {
      cause: error,
    });
  }
}

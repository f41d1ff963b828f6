import { ToolError, type InvocationReader, type ServiceContext, type ServiceType } from '@errand/contracts';

/** Reads on in what invocations gave: the worker does it, for the tenant whose call it runs. */
export const invocations: ServiceType = {
  name: 'invocations',
  methods: {
    readResult: (args, context) => readerOf(context).readResult(args),
    readArtifact: (args, context) => readerOf(context).readArtifact(args),
  },
};

function readerOf({ invocations: reader }: ServiceContext): InvocationReader {
  if (reader) return reader;
  throw new ToolError('ServiceError', 'Results of invocations can be read only while an invocation runs');
}

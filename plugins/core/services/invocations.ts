import { ToolError, type InvocationReader, type ServiceContext, type ServiceType } from '@errand/contracts';

/** Reads results and artifacts of invocations. The worker does that for the tenant of the current call. */
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

import { ToolError, type ServiceType } from '@errand/contracts';

/** Finds tools. The worker does that for the agent of the current call. */
export const toolSearch: ServiceType = {
  name: 'toolSearch',
  methods: {
    search: (args, { tools }) => {
      if (tools) return tools.search(args);
      throw new ToolError('ServiceError', 'Tools can be searched only while an invocation runs');
    },
  },
};

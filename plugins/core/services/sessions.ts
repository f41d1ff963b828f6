import { ToolError, type ServiceContext, type ServiceType, type SessionAccess } from '@errand/contracts';

/** The states and messages of the session in which the call runs. The worker binds them. */
export const sessions: ServiceType = {
  name: 'sessions',
  methods: {
    readWorld: (args, context) => accessOf(context).readWorld(args),
    readPrivate: (args, context) => accessOf(context).readPrivate(args),
    updateWorld: (args, context) => accessOf(context).updateWorld(args),
    updatePrivate: (args, context) => accessOf(context).updatePrivate(args),
    publishEvent: (args, context) => accessOf(context).publishEvent(args),
    search: (args, context) => accessOf(context).search(args),
  },
};

function accessOf({ sessions: access }: ServiceContext): SessionAccess {
  if (access) return access;
  throw new ToolError('ServiceError', 'A session can be used only while an invocation runs');
}

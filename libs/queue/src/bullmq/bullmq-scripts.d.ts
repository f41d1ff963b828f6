/** BullMQ's Lua scripts, each with its includes. The package exports them without types. */
declare module 'bullmq/dist/cjs/scripts/index.js' {
  interface Script {
    name: string;
    content: string;
    keys: number;
  }
  export const addDelayedJob: Script;
  export const addParentJob: Script;
  export const addPrioritizedJob: Script;
  export const addStandardJob: Script;
  export const moveStalledJobsToWait: Script;
  export const moveToActive: Script;
  export const moveToDelayed: Script;
  export const moveToFinished: Script;
  export const retryJob: Script;
}

declare module 'bullmq/dist/cjs/version.js' {
  export const version: string;
}

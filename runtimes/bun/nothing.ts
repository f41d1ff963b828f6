/** What a process that waits rehearses with (script.ts). */
export default null;

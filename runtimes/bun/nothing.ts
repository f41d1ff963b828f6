/** A waiting process rehearses with this module (script.ts). */
export default null;

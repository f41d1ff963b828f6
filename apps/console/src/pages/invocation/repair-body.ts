/**
 * The body of `POST /v1/invocations/:id/retry` with new arguments of steps.
 *
 * @param changes the number of each changed step with the JSON text of its arguments, which is sent as it was typed
 */
export function repairBody(changes: readonly (readonly [step: number, text: string])[]): string {
  if (changes.length === 0) return '{}';
  const steps = changes.map(([step, text]) => `"${step}": {"inputs": ${text}}`);
  return `{"steps": {${steps.join(', ')}}}`;
}

/** The id of the message that an invocation has ended. All deliveries and attempts of the message share it. */
export function webhookIdOf(invocationId: string): string {
  return `msg_${invocationId.replace(/^inv_/, '')}`;
}

/** The job id of a delivery. The first has the id of the message; redeliveries append their number. */
export function deliveryId(invocationId: string, index: number): string {
  return index === 0 ? webhookIdOf(invocationId) : `${webhookIdOf(invocationId)}.${index}`;
}

/** The member of the index of deliveries for a delivery: its id without the common prefix. */
export function deliveryMember(id: string): string {
  return id.slice('msg_'.length);
}

/** The delivery of a member of the index of deliveries. */
export function deliveryOfMember(member: string): { invocationId: string; index: number } {
  const [id = '', index = '0'] = member.split('.');
  return { invocationId: `inv_${id}`, index: Number(index) };
}

/** The job id of a push delivery. `suffix` is unique for each configuration that was ever stored. */
export function pushId(invocationId: string, suffix: string): string {
  return `${webhookIdOf(invocationId)}.push-${suffix}`;
}

/** The job id of a script that runs for a step. It is derived from the invocation and step, so that a second request finds the same job. */
export function childId(invocationId: string, step: number, node?: string): string {
  return node === undefined
    ? `${invocationId}.${step}`
    : `${invocationId}.${step}.${Buffer.from(node).toString('base64url')}`;
}

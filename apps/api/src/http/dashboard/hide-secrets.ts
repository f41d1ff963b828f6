import { isObject } from '@errand/contracts';

const HIDDEN = '…';

/** The data of a job without the secret of its callback, and without the token and credentials of its push configuration. */
export function hideSecrets(data: unknown): unknown {
  if (!isObject(data)) return data;
  const { callback, push } = data;
  return {
    ...data,
    ...(isObject(callback) && { callback: hide(callback, 'secret') }),
    ...(isObject(push) && { push: hidePush(push) }),
  };
}

function hidePush(push: Record<string, unknown>): object {
  const { authentication } = push;
  return {
    ...hide(push, 'token'),
    ...(isObject(authentication) && { authentication: hide(authentication, 'credentials') }),
  };
}

function hide(object: Record<string, unknown>, field: string): Record<string, unknown> {
  return object[field] === undefined ? object : { ...object, [field]: HIDDEN };
}

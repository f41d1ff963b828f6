import { options, type VNode } from 'preact';
import { useLocation } from 'preact-iso';
import { useLayoutEffect } from 'preact/hooks';
import { namesAnother, withTenant } from '../api/acting-tenant.js';

/** Keeps the tenant for which the operator acts in the address. An address of another tenant is loaded anew, because all data differ. */
export function useTenantInAddress(): void {
  const { url } = useLocation();
  useLayoutEffect(() => {
    if (namesAnother(url)) location.reload();
    else if (withTenant(url) !== url) history.replaceState(history.state, '', withTenant(url + location.hash));
  }, [url]);
}

/** Lets each link to a page of the console name the tenant, so that a new tab shows the same one. */
export function nameTenantInLinks(): void {
  const before = options.vnode?.bind(options);
  options.vnode = (vnode: VNode<{ href?: unknown }>) => {
    const { type, props } = vnode;
    if (type === 'a' && typeof props.href === 'string' && props.href.startsWith('/console'))
      props.href = withTenant(props.href);
    before?.(vnode);
  };
}

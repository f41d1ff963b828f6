import ipaddr from 'ipaddr.js';
import { isInNetworks, type Network } from '../address-rules.js';

/** An IPv6 customer has a whole /64 and can take another address of it for each connection. */
const IPV6_PARTS = 4;

/** Counts the open connections of each address, and refuses those above a limit. */
export class AddressLimit {
  private readonly open = new Map<string, number>();

  /**
   * @param limit 0 counts nothing
   * @param proxies networks that are not counted; neither is loopback
   */
  constructor(
    private readonly limit: number,
    private readonly proxies: readonly Network[],
  ) {}

  /** Returns what releases the connection again; undefined where the address has as many as it may. */
  take(address: string): (() => void) | undefined {
    const key = this.limit === 0 ? undefined : countedAs(address, this.proxies);
    if (key === undefined) return () => {};
    const count = this.open.get(key) ?? 0;
    if (count >= this.limit) return undefined;
    this.open.set(key, count + 1);
    return () => this.release(key);
  }

  private release(key: string): void {
    const count = this.open.get(key) ?? 0;
    if (count > 1) this.open.set(key, count - 1);
    else this.open.delete(key);
  }
}

/** The address that connections are counted under: an IPv4 address, or an IPv6 /64. Undefined where they are not counted. */
export function countedAs(text: string, proxies: readonly Network[]): string | undefined {
  const address = ipaddr.process(text);
  if (address.range() === 'loopback' || isInNetworks(proxies, address)) return undefined;
  if (address instanceof ipaddr.IPv4) return address.toString();
  return address.parts.slice(0, IPV6_PARTS).join(':');
}

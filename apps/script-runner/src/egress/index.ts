export { parseEgressPolicy, type EgressPolicy } from './egress-policy.js';
export { EgressProxy, type EgressGrant } from './egress-proxy.js';
export { readAllowHosts, type HostPattern } from './host-pattern.js';
export { splitFrames, type TunnelFrame } from './tunnel-frames.js';
export { Tunnels } from './tunnels.js';
export type { Tunnel } from './tunnel.js';
export { PROXY_ENVIRONMENT } from './tunnels.js';

import { isIP } from 'node:net';

/** Returns the loopback addresses of the host of a URL; none for any other host. */
export function toLoopbackAddresses(hostname: string): readonly string[] {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  // Linux and macOS connect "all addresses" to the loopback.
  if (host === '0.0.0.0') return ['127.0.0.1'];
  if (host === '::') return ['::1'];
  if (host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))) return [host];
  return [];
}

/** Returns `true` if a socket that listens at `address` may get a connection to `target`. `::` may include IPv4. */
export function mayAnswer(address: string, target: string): boolean {
  if (address === target || address === '::') return true;
  return address === '0.0.0.0' && isIP(target) === 4;
}

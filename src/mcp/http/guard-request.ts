import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { toLoopbackAddresses } from '../../readiness/loopback.ts';
import { isSameSecret } from '../../secrets/is-same-secret.ts';
import { isPreflight } from './cross-origin.ts';

export interface Guard {
  /** Host names of this server beside the local ones; `any` where the token decides. */
  readonly hosts: readonly string[] | 'any';
  /** Origins of web pages that may call, such as `https://app.example`. */
  readonly origins: readonly string[];
  /** `null`: no token is required. */
  readonly token: string | null;
}

/**
 * Returns the refusal of a request that does not come from a client of this server's user, or `null`. Where only this machine can
 * connect, a web page of another site still could, through a DNS name of its own for this address: browsers send the origin of the
 * page and the host name, and both must be local or named. Elsewhere the token decides, and only named pages are let in.
 */
export function guardRequest(request: Request, guard: Guard): Response | null {
  const { token } = guard;
  const refused = checkHost(request, guard) ?? checkOrigin(request, guard);
  if (refused !== undefined) return refused;
  // Browsers send a preflight without the token.
  if (token === null || hasToken(request, token) || isPreflight(request, guard.origins)) return null;
  const message = 'This server requires its token: send it as "Authorization: Bearer <token>".';
  return refusal(401, message, { 'www-authenticate': 'Bearer' });
}

/** Returns whether only this machine can reach the server under these names. */
export function areLocal(hosts: Guard['hosts']): boolean {
  return hosts !== 'any' && hosts.every((host) => toLoopbackAddresses(host).length > 0);
}

export function refusal(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }, { status, headers });
}

function checkHost(request: Request, { hosts }: Guard): Response | undefined {
  if (hosts === 'any') return undefined;
  return hostHeaderValidationResponse(request, [...localhostAllowedHostnames(), ...hosts]);
}

function checkOrigin(request: Request, { hosts, origins }: Guard): Response | undefined {
  if (origins.includes(request.headers.get('origin') ?? '')) return undefined;
  return originValidationResponse(request, areLocal(hosts) ? localhostAllowedOrigins() : []);
}

function hasToken(request: Request, token: string): boolean {
  const [, given] = /^Bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  return given !== undefined && isSameSecret(given, token);
}

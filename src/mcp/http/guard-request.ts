import { createHash, timingSafeEqual } from 'node:crypto';
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { type HttpAddress, isLoopback } from './http-address.ts';

export interface Guard {
  /** The address on which the server listens. */
  readonly address: HttpAddress;
  /** `null`: no token is required. */
  readonly token: string | null;
}

/**
 * Returns the refusal of a request that does not come from a client of this server's user, or `null`. Where only this machine can
 * connect, a web page of another site still could, through a DNS name of its own for this address: browsers send the origin of the
 * page and the host name, and both must be local. Elsewhere the token decides, and no page is let in.
 */
export function guardRequest(request: Request, { address, token }: Guard): Response | null {
  const refused = isLoopback(address)
    ? (hostHeaderValidationResponse(request, [...localhostAllowedHostnames(), toHostname(address)]) ??
      originValidationResponse(request, localhostAllowedOrigins()))
    : originValidationResponse(request, []);
  if (refused !== undefined) return refused;
  if (token === null || hasToken(request, token)) return null;
  const message = 'This server requires its token: send it as "Authorization: Bearer <token>".';
  return refusal(401, message, { 'www-authenticate': 'Bearer' });
}

export function refusal(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }, { status, headers });
}

/** Returns the address as it is written in a URL. */
function toHostname({ host }: HttpAddress): string {
  return host.includes(':') ? `[${host}]` : host;
}

function hasToken(request: Request, token: string): boolean {
  const [, given] = /^Bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

/** Returns a hash: the comparison requires equal lengths. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

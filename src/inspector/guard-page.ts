import { createHash } from 'node:crypto';
import { isSameOrigin } from '../live/live-handler.ts';
import { toLoopbackAddresses } from '../readiness/loopback.ts';
import { isSameSecret } from '../secrets/is-same-secret.ts';

/** Rules for requests of a page. */
export interface PageGuard {
  /** Allowed host names besides the local ones. `any`: the surrounding program checks the host. */
  readonly hosts: readonly string[] | 'any';
  /** Secret of the link. `null`: the surrounding program authorizes its own users. */
  readonly token: string | null;
  /** Path of the page, with a slash at its end. */
  readonly path: string;
}

/** Name of the parameter with the token in the link. */
export const TOKEN_PARAMETER = 'token';

/**
 * Returns the refusal of a request, or `null` if it may proceed. The host must be local or configured, because another site can point a DNS name
 * at this machine. Requests must come from the page itself, because the browser also sends the cookie for other pages of this host. The
 * token of the link becomes a cookie that scripts cannot read, and is removed from the address.
 */
export function guardPage(request: Request, guard: PageGuard): Response | null {
  const url = new URL(request.url);
  const { hosts, token, path } = guard;
  const host = request.headers.get('host') ?? url.host;
  if (!isAllowedHost(host, hosts)) {
    return refuse(
      421,
      `The host ${JSON.stringify(host.slice(0, 200))} is not a name of this machine. Use http://localhost, or name it in "hosts".`,
    );
  }
  const isPage = request.method === 'GET' && request.headers.get('sec-fetch-mode') === 'navigate';
  if (!isPage && !isOwnRequest(request, url)) return refuse(403, 'Requests of another origin are denied.');
  if (token === null) return null;
  const given = url.searchParams.get(TOKEN_PARAMETER);
  if (given !== null && request.method === 'GET' && isSameSecret(given, token)) {
    url.searchParams.delete(TOKEN_PARAMETER);
    const secure = url.protocol === 'https:' ? '; Secure' : '';
    return new Response(null, {
      status: 303,
      headers: {
        location: `${url.pathname}${url.search}`,
        'set-cookie': `${cookieName(token)}=${token}; Path=${path}; HttpOnly; SameSite=Lax${secure}`,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      },
    });
  }
  const sent = readCookie(request.headers.get('cookie') ?? '', cookieName(token));
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if ([sent, bearer].some((text) => text !== undefined && isSameSecret(text, token))) return null;
  return refuse(
    401,
    'The token is missing or wrong. Open the link that was printed when the inspector was started.',
  );
}

/** Returns a refusal as plain text, which a person may see in the browser. */
export function refuse(status: number, message: string): Response {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  return new Response(`${message}\n`, { status, headers });
}

function isAllowedHost(host: string, hosts: PageGuard['hosts']): boolean {
  if (hosts === 'any') return true;
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return hosts.some((each) => each.toLowerCase() === name) || toLoopbackAddresses(name).length > 0;
}

/** Checks both headers, because browsers without `Sec-Fetch-Site` still send the origin with an order. */
function isOwnRequest(request: Request, url: URL): boolean {
  if (!isSameOrigin(request)) return false;
  const { headers } = request;
  const origin = headers.get('origin');
  return (
    origin === null || (URL.canParse(origin) && new URL(origin).host === (headers.get('host') ?? url.host))
  );
}

/** Cookies are shared by all ports of a host: another inspector has another name. */
function cookieName(token: string): string {
  return `troupe_${createHash('sha256').update(token).digest('hex').slice(0, 8)}`;
}

function readCookie(header: string, name: string): string | undefined {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

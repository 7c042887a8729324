import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';

/** Headers of an answer that a page may read. */
const EXPOSED = 'mcp-session-id, mcp-protocol-version, www-authenticate';

/** The time for which a browser remembers the answer to a preflight. */
const PREFLIGHT_SECONDS = 600;

/** Returns whether a browser asks what a page of one of these origins may send. */
export function isPreflight({ method, headers }: Request, origins: readonly string[]): boolean {
  const isNamed = origins.includes(headers.get('origin') ?? '');
  return method === 'OPTIONS' && isNamed && headers.has('access-control-request-method');
}

/** Allows the methods of the protocol, and the headers that the page asks for: its origin is named, so it may send all of them. */
export function answerPreflight({ headers }: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': headers.get('access-control-request-headers') ?? '',
      'access-control-max-age': String(PREFLIGHT_SECONDS),
      vary: 'Access-Control-Request-Headers',
    },
  });
}

/** Lets the page that sent the request read the response, if its origin is named. Browsers keep all other responses from pages. */
export function allowOrigin(
  response: Response,
  { request, origins }: { readonly request: Request; readonly origins: readonly string[] },
): Response {
  if (origins.length === 0) return response;
  const origin = request.headers.get('origin') ?? '';
  const allowed = new Response(response.body, response);
  allowed.headers.append('vary', 'Origin');
  if (!origins.includes(origin)) return allowed;
  allowed.headers.set('access-control-allow-origin', origin);
  allowed.headers.set('access-control-expose-headers', EXPOSED);
  return allowed;
}

/**
 * Returns the origin as browsers send it.
 *
 * @throws TroupeError `invalid-option` for anything but one origin: `*`, a path, an address without a scheme.
 */
export function parseOrigin(text: string): string {
  const lower = text.toLowerCase();
  const isWeb = /^https?:/.test(lower);
  const isOrigin = isWeb
    ? URL.canParse(lower) && new URL(lower).origin === lower
    : /^[a-z][a-z\d+.-]*:\/\/[\w.-]+$/.test(lower);
  if (isOrigin) return lower;
  const message = `The origin ${quote(text)} is not valid; expected a scheme and a host, without a path, and a port unless it is the usual one, such as "https://app.example" or "http://localhost:3000".`;
  throw new TroupeError({ code: 'invalid-option', message });
}

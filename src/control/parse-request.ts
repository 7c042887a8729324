import { nearest } from '../config/nearest.ts';
import { parseOptions } from '../config/parse-options.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { type ControlMethod, type ControlRequest, describeVersions, PROTOCOL_VERSION } from './protocol.ts';
import { requestParams } from './request-params.ts';

type ParsedRequest =
  | { readonly type: 'request'; readonly request: ControlRequest & { readonly method: ControlMethod } }
  /** Valid request that cannot be executed. */
  | { readonly type: 'refused'; readonly id: number; readonly error: TroupeError }
  /** Not a request: the client speaks another protocol. */
  | { readonly type: 'malformed'; readonly error: TroupeError };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a line from a client. Never throws. */
export function parseRequest(line: Uint8Array): ParsedRequest {
  const value = parseJson(line);
  if (typeof value !== 'object' || value === null) return malformed();
  const { v, id, method, params } = value as Partial<Record<keyof ControlRequest, unknown>>;
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return malformed();
  if (v !== PROTOCOL_VERSION) {
    const message = describeVersions({ theirs: v, ours: `The supervisor (pid ${process.pid})` });
    return { type: 'refused', id, error: new TroupeError({ code: 'protocol', message }) };
  }
  if (typeof method !== 'string') return malformed();
  if (!isMethod(method)) return { type: 'refused', id, error: unknownMethod(method) };
  try {
    const parsed = parseOptions(requestParams[method], { input: params ?? {}, name: method });
    return { type: 'request', request: { v, id, method, params: parsed } };
  } catch (error) {
    return { type: 'refused', id, error: error as TroupeError };
  }
}

function parseJson(line: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(line));
  } catch {
    return null;
  }
}

function isMethod(method: string): method is ControlMethod {
  return Object.hasOwn(requestParams, method);
}

function malformed(): ParsedRequest {
  const message = `This is a control socket of troupe: it takes JSON lines such as {"v":${PROTOCOL_VERSION},"id":1,"method":"list"}. The connection is closed.`;
  return { type: 'malformed', error: new TroupeError({ code: 'protocol', message }) };
}

function unknownMethod(method: string): TroupeError {
  const methods = Object.keys(requestParams);
  const meant = nearest(method.slice(0, 100), methods);
  const hint = meant === null ? `Known: ${methods.join(', ')}.` : `Did you mean "${meant}"?`;
  return new TroupeError({ code: 'protocol', message: `There is no request ${quote(method)}. ${hint}` });
}

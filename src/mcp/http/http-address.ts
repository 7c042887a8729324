import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { toLoopbackAddresses } from '../../readiness/loopback.ts';

/** The address to listen on. */
export interface HttpAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

export const defaultHttpAddress: HttpAddress = { host: '127.0.0.1', port: 7433 };

/**
 * Reads `8080`, `:8080`, `localhost`, `127.0.0.1:8080` or `[::1]:8080`; missing parts are those of `usual`.
 *
 * @throws TroupeError `invalid-option`
 */
export function parseHttpAddress(text: string, usual: HttpAddress = defaultHttpAddress): HttpAddress {
  const [, bracketed, plain, port] =
    /^(?:\[([\da-fA-F:.]+)\]|([\w.-]*[A-Za-z.][\w.-]*))?(?::?(\d{1,5}))?$/.exec(text) ?? [];
  const number = port === undefined ? usual.port : Number(port);
  if (text === '' || (bracketed ?? plain ?? port) === undefined || number > 65_535) {
    const message = `The address ${quote(text)} is not valid; expected a port, a host or both, such as "127.0.0.1:8080" or "[::1]:8080".`;
    throw new TroupeError({ code: 'invalid-option', message });
  }
  return { host: bracketed ?? plain ?? usual.host, port: number };
}

/** Returns whether no other machine can reach the address. `0.0.0.0` and `::` can be reached from everywhere. */
export function isLoopback({ host }: HttpAddress): boolean {
  return host !== '0.0.0.0' && host !== '::' && toLoopbackAddresses(host).length > 0;
}

/** Returns the host as it is written in a URL. */
export function toHostname({ host }: HttpAddress): string {
  return host.includes(':') ? `[${host}]` : host;
}

export function formatAddress(address: HttpAddress): string {
  return `${toHostname(address)}:${address.port}`;
}

/** Words for what `fetch` hides in the causes of its error. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name could not be looked up',
  ETIMEDOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'nothing more came in time',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network',
};

/** What is known of a connection that failed: `nobody listens there (ECONNREFUSED)`; `null` where no connection did. */
export function findNetworkCause(error: unknown): string | null {
  for (const cause of causesOf(error)) {
    const { code } = cause as { code?: unknown };
    if (
      typeof code !== 'string' ||
      !/^(E[A-Z]|UND_ERR|CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)
    )
      continue;
    const words = WORDS[code];
    return words === undefined ? `${(cause as Error).message} (${code})` : `${words} (${code})`;
  }
  return null;
}

/** An error, its causes, and those that it joins. */
function causesOf(error: unknown): readonly object[] {
  const found: object[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || found.includes(value) || found.length > 16) return;
    found.push(value);
    const { cause, errors } = value as { cause?: unknown; errors?: unknown };
    visit(cause);
    if (Array.isArray(errors)) for (const one of errors) visit(one);
  };
  visit(error);
  return found;
}

/** The resources of one process. */
export interface ProcessAddress {
  readonly id: string;
  readonly part: 'view' | 'log';
}

/** RFC 6570; what `resources/templates/list` answers. */
export const processUriTemplate = 'process://{id}';
export const logUriTemplate = 'process://{id}/log';

const URI = /^process:\/\/([\w-]{1,64})(\/log)?$/;

export function toProcessUri(id: string): string {
  return `process://${id}`;
}

export function toLogUri(id: string): string {
  return `process://${id}/log`;
}

/** `null` for what is no address of a process. */
export function parseProcessUri(uri: string): ProcessAddress | null {
  const [, id, log] = URI.exec(uri) ?? [];
  if (id === undefined) return null;
  return { id, part: log === undefined ? 'view' : 'log' };
}

/** The resources of one process. */
export interface ProcessAddress {
  readonly id: string;
  readonly part: 'view' | 'log' | 'screen';
}

/** URI templates (RFC 6570) for `resources/templates/list`. */
export const processUriTemplate = 'process://{id}';
export const logUriTemplate = 'process://{id}/log';
export const screenUriTemplate = 'process://{id}/screen';

const URI = /^process:\/\/([\w-]{1,64})(?:\/(log|screen))?$/;

export function toProcessUri(id: string): string {
  return `process://${id}`;
}

export function toLogUri(id: string): string {
  return `process://${id}/log`;
}

/** The screen of a process with a terminal. */
export function toScreenUri(id: string): string {
  return `process://${id}/screen`;
}

/** Returns `null` for a URI that names no process. */
export function parseProcessUri(uri: string): ProcessAddress | null {
  const [, id, part = 'view'] = URI.exec(uri) ?? [];
  return id === undefined ? null : { id, part: part as ProcessAddress['part'] };
}

/** Part of an answer of a tool of the AI SDK or of an MCP server. */
export interface ContentPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * Returns the parts as one text. A model reads the texts as they are; anything else is described in brackets, since the answers of our tools
 * have no images: `[image, image/png, 12345 bytes; its content is not shown]`.
 */
export function describeContent(parts: readonly ContentPart[]): string {
  return parts.map(describePart).join('\n');
}

/** Returns whether the part is only text. */
export function isText(part: ContentPart): boolean {
  return part.type === 'text' && typeof part['text'] === 'string';
}

function describePart(part: ContentPart): string {
  if (isText(part)) return part['text'] as string;
  const inner = toObject(part['resource']);
  if (inner !== null) return describeResource(inner);
  const data = toObject(part['data']);
  // A file of the AI SDK whose data is the text itself.
  if (data?.['type'] === 'text' && typeof data['text'] === 'string') return data['text'];
  const link = toText(part['uri']) ?? toText(part['url']) ?? toText(data?.['url']);
  const facts = [
    part.type.replaceAll(/[_-]/g, ' '),
    toText(part['filename']) ?? toText(part['name']),
    toText(part['mediaType']) ?? toText(part['mimeType']),
    link,
    toText(part['description']),
    describeSize(data === null || data['data'] === undefined ? part['data'] : data['data']),
  ];
  return `[${facts.filter((fact) => fact !== null).join(', ')}${link === null ? '; its content is not shown' : ''}]`;
}

/** Describes a resource that an MCP server has put into its answer. */
function describeResource(resource: Readonly<Record<string, unknown>>): string {
  const uri = toText(resource['uri']) ?? 'without a URI';
  if (typeof resource['text'] === 'string') return `[resource ${uri}]\n${resource['text']}`;
  const facts = [`resource ${uri}`, toText(resource['mimeType']), describeSize(resource['blob'])];
  return `[${facts.filter((fact) => fact !== null).join(', ')}; its content is not shown]`;
}

/** Returns the size of bytes, or of base64 text. */
function describeSize(data: unknown): string | null {
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) return `${data.byteLength} bytes`;
  return typeof data === 'string' ? `${Buffer.byteLength(data, 'base64')} bytes` : null;
}

function toText(value: unknown): string | null {
  if (value instanceof URL) return value.href;
  return typeof value === 'string' && value !== '' ? value : null;
}

function toObject(value: unknown): Readonly<Record<string, unknown>> | null {
  const isPlain = typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
  return isPlain && !(value instanceof URL) && !(value instanceof ArrayBuffer)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

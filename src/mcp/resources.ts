import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { isFinal } from '../../machines/process/view.ts';
import { quote, shorten } from '../config/quote.ts';
import { formatBytes } from '../output/cut-text.ts';
import { describeEnd } from '../process/describe-end.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { ClientProcesses } from './client-processes.ts';
import {
  logUriTemplate,
  type ProcessAddress,
  parseProcessUri,
  processUriTemplate,
  screenUriTemplate,
  toLogUri,
  toProcessUri,
  toScreenUri,
} from './process-uri.ts';

/** The number of processes on one page; each has two resources, and a third with a terminal. */
const PAGE = 100;

/** The bytes of a log in one answer; of a longer one the head and the tail. */
const MAX_LOG_BYTES = 256 * 1024;

/** The characters of a command line in the list. */
const MAX_SHOWN = 200;

/** Returns a page of the list, newest first. @throws ProtocolError for a cursor that this server did not give out. */
export function listResources(processes: ClientProcesses, cursor: string | undefined): ListResourcesResult {
  const rest =
    cursor === undefined ? processes.list() : processes.list().filter(isAfter(parseCursor(cursor)));
  const page = rest.slice(0, PAGE);
  const last = page.at(-1);
  return {
    resources: page.flatMap(toResources),
    ...(last !== undefined && rest.length > page.length && { nextCursor: `${last.createdAt}-${last.id}` }),
  };
}

export function listTemplates(): ListResourceTemplatesResult {
  const process = {
    uriTemplate: processUriTemplate,
    name: 'process',
    title: 'A process',
    description: 'Its status, command, limits met, output counts and end, as JSON.',
    mimeType: 'application/json',
  };
  const log = {
    uriTemplate: logUriTemplate,
    name: 'process-log',
    title: 'What a process printed',
    description:
      'Plain text without escape sequences. Of a long output the head and the tail; a line says how much is left out.',
    mimeType: 'text/plain',
  };
  const screen = {
    uriTemplate: screenUriTemplate,
    name: 'process-screen',
    title: 'What the terminal of a process shows',
    description:
      'Plain text, line by line as displayed; after the end, the last screen. Only for processes with a terminal.',
    mimeType: 'text/plain',
  };
  return { resourceTemplates: [process, log, screen] };
}

/** Returns the content of a resource. @throws ResourceNotFoundError also for resources of another client. */
export async function readResource(processes: ClientProcesses, uri: string): Promise<ReadResourceResult> {
  const { part, handle } = findResource(processes, uri);
  if (part === 'view') {
    const text = JSON.stringify({ ...handle.view(), timeline: handle.timeline() });
    return { contents: [{ uri, mimeType: 'application/json', text }] };
  }
  if (part === 'screen') {
    const answer = await handle.capture();
    if (!answer.ok) throw noResource(uri, answer.error);
    const text = `${answer.screen.lines.join('\n').trimEnd()}\n`;
    return { contents: [{ uri, mimeType: 'text/plain', text }] };
  }
  const { text } = handle.read({ maxBytes: MAX_LOG_BYTES });
  return { contents: [{ uri, mimeType: 'text/plain', text }] };
}

/** Returns the process and part that a URI names. @throws ResourceNotFoundError also for resources of another client. */
export function findResource(
  processes: ClientProcesses,
  uri: string,
): { readonly part: ProcessAddress['part']; readonly handle: ProcessHandle } {
  const address = parseProcessUri(uri);
  const handle = address === null ? undefined : processes.get(address.id);
  if (address === null || handle === undefined) throw notFound(uri, processes);
  const { id, terminal } = handle.view();
  if (address.part === 'screen' && terminal?.type !== 'terminal') {
    throw noResource(uri, `Process ${id} has no terminal.${terminal === null ? '' : ` ${terminal.because}`}`);
  }
  return { part: address.part, handle };
}

function notFound(uri: string, processes: ClientProcesses): ResourceNotFoundError {
  const known = processes.list().slice(0, 3);
  const hint =
    known.length === 0
      ? 'There are no processes.'
      : `There are, newest first: ${known.map(({ id }) => toProcessUri(id)).join(', ')}.`;
  return noResource(uri, hint);
}

function noResource(uri: string, why: string): ResourceNotFoundError {
  return new ResourceNotFoundError(uri, `There is no resource ${quote(uri)}. ${why}`);
}

function toResources(view: ProcessView): readonly Resource[] {
  const { id, output, terminal } = view;
  const commandLine = shorten(view.commandLine, MAX_SHOWN);
  const title = view.label ?? commandLine;
  const lastModified = new Date(output.lastOutputAt ?? view.createdAt).toISOString();
  return [
    {
      uri: toProcessUri(id),
      name: id,
      title,
      description: `${toStatusText(view)}: ${commandLine}`,
      mimeType: 'application/json',
    },
    {
      uri: toLogUri(id),
      name: `${id} log`,
      title: `${title}: output`,
      description: `What ${id} printed: ${formatBytes(output.bytes)}.`,
      mimeType: 'text/plain',
      annotations: { lastModified },
    },
    ...(terminal?.type === 'terminal' ? [toScreen(view, { title, lastModified })] : []),
  ];
}

function toScreen(
  { id }: ProcessView,
  { title, lastModified }: { title: string; lastModified: string },
): Resource {
  return {
    uri: toScreenUri(id),
    name: `${id} screen`,
    title: `${title}: screen`,
    description: `What the terminal of ${id} shows.`,
    mimeType: 'text/plain',
    annotations: { lastModified },
  };
}

function toStatusText(view: ProcessView): string {
  const { status } = view;
  return isFinal(status) && 'exit' in view ? `${status}, it ${describeEnd(view.reason, view.exit)}` : status;
}

interface Place {
  readonly createdAt: number;
  readonly id: string;
}

function parseCursor(cursor: string): Place {
  const [, createdAt, id] = /^(\d{1,16})-([\w-]{1,64})$/.exec(cursor) ?? [];
  if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id };
  const message = `There is no page ${quote(cursor)}. Ask without a cursor for the first one.`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function isAfter(place: Place): (view: ProcessView) => boolean {
  return ({ createdAt, id }) =>
    createdAt < place.createdAt || (createdAt === place.createdAt && id > place.id);
}

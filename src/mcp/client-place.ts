import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Root,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** The key under which a client of the newer era answers with its roots. */
const KEY = 'roots';

/** The time a client of the older era has to answer: its first command waits for that. */
const ROOTS_TIMEOUT_MS = 5_000;

/** The name and the directory of a client. */
export interface ClientPlace {
  /** The name that the client gives for its program, or `null`. */
  readonly name: string | null;
  /** The first of its roots that is a directory on this machine; absolute. `null` where it has none or was not asked. */
  readonly root: string | null;
}

/** A place, or the question that the client has to answer first. */
export type FoundPlace =
  | { readonly type: 'place'; readonly place: ClientPlace }
  | { readonly type: 'asked'; readonly result: InputRequiredResult };

/** Returns the capabilities of the client. In the newer era each request carries them. */
export function capabilitiesOf({ mcpReq }: ServerContext, server: Server): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
  return (
    (envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ??
    server.getClientCapabilities()
  );
}

function nameOf({ mcpReq }: ServerContext, server: Server): string | null {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
  const told = envelope?.[CLIENT_INFO_META_KEY] as Implementation | undefined;
  return (told ?? server.getClientVersion())?.name ?? null;
}

/** Finds the name and directory of the client. Never rejects: a place without roots has no directory. */
export type FindPlace = (
  context: ServerContext,
  speaker: { readonly server: Server; readonly era: 'legacy' | 'modern' },
) => Promise<FoundPlace>;

/**
 * Creates the finder for one client. In the older era the client is asked once for all its calls. In the newer era a call is answered with the
 * question, and made again with the roots.
 */
export function createPlaceFinder(isWanted: () => boolean): FindPlace {
  let asked: Promise<readonly Root[]> | null = null;
  return async (context, { server, era }) => {
    const toPlace = (roots: readonly Root[]): FoundPlace => ({
      type: 'place',
      place: { name: nameOf(context, server), root: toDirectory(roots) },
    });
    if (!isWanted() || capabilitiesOf(context, server)?.roots === undefined) return toPlace([]);
    if (era === 'legacy') {
      asked ??= server.listRoots({}, { timeout: ROOTS_TIMEOUT_MS }).then(
        ({ roots }) => roots,
        () => [],
      );
      return toPlace(await asked);
    }
    const responses = context.mcpReq.inputResponses;
    const given = inputResponse(responses, KEY);
    if (given.kind === 'roots') return toPlace(given.roots);
    if (responses !== undefined) return toPlace([]);
    return { type: 'asked', result: inputRequired({ inputRequests: { [KEY]: inputRequired.listRoots() } }) };
  };
}

function toDirectory(roots: readonly Root[]): string | null {
  for (const { uri } of roots) {
    try {
      const path = fileURLToPath(uri);
      if (statSync(path).isDirectory()) return path;
    } catch {
      // Not a file URL, or not on this machine.
    }
  }
  return null;
}

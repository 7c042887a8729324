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

/** Under this name a client of the newer era answers with its roots. */
const KEY = 'roots';

/** A client of the older era that does not answer at all must not hold up its first command. */
const PATIENCE_MS = 5_000;

/** Who a client says it is, and where it works. */
export interface ClientPlace {
  /** The name of the client's program, as it says; `null` where it says none. */
  readonly name: string | null;
  /** The first of its roots that is a directory here; absolute. `null` where it has none, or nobody asked. */
  readonly root: string | null;
}

/** A place, or what the client has to answer first. */
export type FoundPlace =
  | { readonly type: 'place'; readonly place: ClientPlace }
  | { readonly type: 'asked'; readonly result: InputRequiredResult };

/** In the newer era each request carries them. */
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

/** Finds out who calls, and where the client works. Never rejects: without roots there is a place all the same. */
export type FindPlace = (
  context: ServerContext,
  speaker: { readonly server: Server; readonly era: 'legacy' | 'modern' },
) => Promise<FoundPlace>;

/**
 * For one client. In the older era it is asked once, however many calls it makes at the same time. In the newer era a call is answered with the
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
      asked ??= server.listRoots({}, { timeout: PATIENCE_MS }).then(
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
      // Not a file, or not on this machine.
    }
  }
  return null;
}

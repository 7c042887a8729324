import { DEPTH_VARIABLE, parseDepth } from '../config/depth.ts';

/** Which of the non-interactive hints a process gets. */
export interface Hints {
  readonly pager: boolean;
  readonly gitPrompt: boolean;
  readonly term: boolean;
}

/** Who a process is, as its environment tells it and all that it starts. */
export interface EnvironmentIdentity {
  readonly processId: string;
  readonly supervisorId: string;
  readonly owner: string;
  /** How deep an agent would be that this process starts; 0 where no agent stands above it. An override can only add to it. */
  readonly depth: number;
}

/** What a terminal, tmux or screen tells of itself to what runs in it: it is not so in a terminal of another. */
export const terminalVariables: ReadonlySet<string> = new Set([
  'TERM',
  'TERMCAP',
  'TERMINFO',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'COLORTERM',
  'COLUMNS',
  'LINES',
  'TMUX',
  'TMUX_PANE',
  'STY',
  'WINDOW',
]);

/** What every process knows of its ancestors: `/sup_a/tool_b/sup_c/tool_d/`. Survives setsid and double forks. */
export const LINEAGE = 'TROUPE_LINEAGE';

/** The text by which descendants of `id` are known in a lineage. */
export function toCookie(id: string): string {
  return `/${id}/`;
}

/**
 * The whole environment of a process: what this program has, less redacted names, then hints, then overrides,
 * then identity. Later ones win; an override of `null` takes a variable out. A process with a terminal of its own inherits nothing that
 * tells of ours.
 */
export function createEnvironment(parts: {
  inherited: NodeJS.ProcessEnv;
  isRedacted: (name: string) => boolean;
  hasTerminal: boolean;
  hints: Hints;
  overrides: Readonly<Record<string, string | null>>;
  identity: EnvironmentIdentity;
}): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts.inherited)) {
    if (parts.hasTerminal && terminalVariables.has(name)) continue;
    if (value !== undefined && !parts.isRedacted(name)) env[name] = value;
  }
  Object.assign(env, hintVariables(parts.hints));
  for (const [name, value] of Object.entries(parts.overrides)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  const depth = Math.max(parts.identity.depth, parseDepth(parts.overrides[DEPTH_VARIABLE] ?? '') ?? 0);
  return Object.assign(env, identityVariables({ ...parts.identity, depth }, parts.inherited[LINEAGE]));
}

function hintVariables(hints: Hints): Record<string, string> {
  return {
    ...(hints.pager && { PAGER: 'cat', GIT_PAGER: 'cat' }),
    ...(hints.gitPrompt && { GIT_TERMINAL_PROMPT: '0' }),
    ...(hints.term && { TERM: 'dumb' }),
  };
}

function identityVariables(identity: EnvironmentIdentity, lineage = '/'): Record<string, string> {
  return {
    TROUPE_PROCESS_ID: identity.processId,
    TROUPE_SUPERVISOR_ID: identity.supervisorId,
    TROUPE_OWNER: identity.owner,
    [DEPTH_VARIABLE]: String(identity.depth),
    [LINEAGE]: `${lineage}${identity.supervisorId}/${identity.processId}/`,
  };
}

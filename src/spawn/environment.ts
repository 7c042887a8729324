import { DEPTH_VARIABLE, parseDepth } from '../config/depth-variable.ts';

/** Selects the non-interactive hints that a process gets. */
export interface Hints {
  readonly pager: boolean;
  readonly gitPrompt: boolean;
  readonly term: boolean;
}

/** Identity of a process, which its environment passes on to all that it starts. */
interface EnvironmentIdentity {
  readonly processId: string;
  /** Stands for the process in the lineage. */
  readonly mark: string;
  readonly supervisorId: string;
  readonly owner: string;
  /** Depth of an agent that this process would start; 0 where no agent is above it. An override can only increase it. */
  readonly depth: number;
}

/** Variables that describe one terminal, tmux or screen, and are wrong in any other terminal. */
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

/** Variable that names all ancestors of a process: `/sup_a/tool_b/sup_c/tool_d/`. Survives setsid and double forks. */
export const LINEAGE = 'TROUPE_LINEAGE';

/** Lineage of a program that must outlive the process that starts it. */
export const NO_ANCESTORS = '/';

/** Returns the text that marks descendants of `id` in a lineage. */
export function toCookie(id: string): string {
  return `/${id}/`;
}

/**
 * Creates the whole environment of a process: that of this program without redacted names, then hints, overrides and identity.
 * Later ones win; an override of `null` removes a variable. A process with its own terminal inherits nothing that describes ours.
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

function identityVariables(identity: EnvironmentIdentity, lineage = NO_ANCESTORS): Record<string, string> {
  return {
    TROUPE_PROCESS_ID: identity.processId,
    TROUPE_SUPERVISOR_ID: identity.supervisorId,
    TROUPE_OWNER: identity.owner,
    [DEPTH_VARIABLE]: String(identity.depth),
    [LINEAGE]: `${lineage}${identity.supervisorId}/${identity.mark}/`,
  };
}

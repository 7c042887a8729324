import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { type Duration, duration } from './duration.ts';

/** Effects of a tool call on processes. `other` has none. */
export const policyModes = ['default', 'auto', 'dangerous', 'plan', 'ci'] as const;

export const permissions = ['start', 'kill', 'write', 'keys', 'status', 'output', 'list', 'other'] as const;

/** Names of the default rules. */
export const ruleNames = [
  'delete-beyond-repair',
  'dd-to-device',
  'disk-format',
  'raw-disk-write',
  'machine-power',
  'fork-bomb',
  'kill-by-name',
  'kill-found',
  'delete-sources',
  'git-loss',
  'database-loss',
  'cloud-loss',
  'container-loss',
  'publish',
  'packages-removed',
  'privilege',
  'startup-files',
  'secret-upload',
  'secret-piped',
  'destructive-code',
  'foreign-code',
] as const;

export type RuleName = (typeof ruleNames)[number];

const verdict = z.enum(['allow', 'ask', 'deny']);
const patterns = z.array(z.string().min(1)).default([]);
const absolutePath = z.string().refine(isAbsolute, { error: () => 'an absolute path' });

const permissionEntries = z.record(z.string(), verdict).superRefine((entries, context) => {
  for (const key of Object.keys(entries)) {
    const message = findEntryProblem(key);
    if (message !== null) context.addIssue({ code: 'custom', path: [key], message });
  }
});

const ruleEntries = z
  .record(
    z.string(),
    z.union(
      [
        z.enum(['deny', 'ask', 'off']),
        z.strictObject({
          verdict: z.enum(['deny', 'ask']),
          what: z.string().min(1),
          hint: z.string().optional(),
          match: z.array(z.string().min(1)).min(1),
          beside: z.array(z.string().min(1)).optional(),
        }),
      ],
      { error: () => '"deny", "ask", "off", or a rule with "verdict", "what" and "match"' },
    ),
  )
  .superRefine((entries, context) => {
    for (const [name, rule] of Object.entries(entries)) {
      if (typeof rule === 'object' || (ruleNames as readonly string[]).includes(name)) continue;
      const message = `the name of a default rule (${ruleNames.join(', ')}), or a rule with "verdict", "what" and "match"`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  });

/** Accepts any possible tool name, except a permission that differs only in case or a final `s`. */
function findEntryProblem(key: string): string | null {
  const known = `a permission (${permissions.join(', ')}) or the name of a tool`;
  if ((permissions as readonly string[]).includes(key)) return null;
  const word = key.toLowerCase();
  const meant = permissions.find((name) => [name, `${name}s`, name.replace(/s$/, '')].includes(word));
  if (meant !== undefined) return `${known}; did you mean ${JSON.stringify(meant)}?`;
  return /^[A-Za-z_][\w.:/-]*$/.test(key) ? null : known;
}

/** Rule about commands. */
export interface PolicyRule {
  /** `deny`: such a command is never started. `ask`: a person decides. */
  readonly verdict: 'deny' | 'ask';
  /** Subject of the rule, as the end of a sentence that begins with "it is". */
  readonly what: string;
  /** Advice for the model: what to do instead. Default: none. */
  readonly hint?: string | undefined;
  /** Patterns, of which one must match a command. */
  readonly match: readonly string[];
  /** Patterns, of which one must match another command of the same text. Default: none is needed. */
  readonly beside?: readonly string[] | undefined;
}

/** Options of a policy: what an agent may do. Every one has a default. */
export interface PolicyOptions {
  /**
   * `default`: commands that only read start; other starts, kill, write and keys are asked for. `auto`: kill and
   * start are allowed, except for what a rule asks about. `dangerous`: nothing is asked. `plan`: commands that only
   * read start; everything else that changes is denied. `ci`: no process tool is offered or allowed, and nothing is
   * asked. Default `default`.
   */
  readonly mode?: 'default' | 'auto' | 'dangerous' | 'plan' | 'ci' | undefined;
  /**
   * Entries by permission, or by tool name, which wins. They override the mode, except for prohibitions of
   * `plan` and `ci`. Default: none.
   */
  readonly permissions?: Readonly<Record<string, 'allow' | 'ask' | 'deny'>> | undefined;
  /**
   * Tool names; globs, in which `:` and `__` are equivalent. Tools outside `allow` and inside `deny` are
   * denied. Default: all tools.
   */
  readonly tools?:
    | {
        /** Tools that may be used; globs. Default: all. */
        readonly allow?: readonly string[] | undefined;
        /** Tools that may not be used; globs. Wins over `allow`. Default: none. */
        readonly deny?: readonly string[] | undefined;
      }
    | undefined;
  /** Patterns for commands: `*` matches any text and `?` one character. Default: none. */
  readonly commands?:
    | {
        /** A command is started without a question if each simple command in it matches. Default: none. */
        readonly allow?: readonly string[] | undefined;
        /** A command is never started if any simple command in it matches. Default: none. */
        readonly deny?: readonly string[] | undefined;
      }
    | undefined;
  /**
   * Rules by name: `deny`, `ask` or `off` for a default rule, or a rule of your own. Yours also ask in the mode
   * `dangerous`. Default: the default rules.
   */
  readonly rules?: Readonly<Record<string, 'deny' | 'ask' | 'off' | PolicyRule>> | undefined;
  /** The folder of the work, an absolute path. Default: the working directory of this program. */
  readonly workspace?: string | undefined;
  /** Requires that commands run in the workspace and name no path outside it. Default `false`. */
  readonly restrictToWorkspace?: boolean | undefined;
  /** Folders and files outside the workspace that are allowed; absolute paths. Default: none. */
  readonly extraPaths?: readonly string[] | undefined;
  /**
   * Restricts commands to the workspace by the operating system, with `@anthropic-ai/sandbox-runtime`.
   * `auto`: if available; inside it only rules ask. `require`: nothing is started without it. Default `auto` with
   * `restrictToWorkspace`, else `off`.
   */
  readonly sandbox?: 'off' | 'auto' | 'require' | undefined;
  /**
   * Network access in the sandbox: these domains (`*.npmjs.org`, `github.com:443`), or `open` for everything. A list also
   * makes servers in the sandbox unreachable from outside. Default `open`.
   */
  readonly sandboxNetwork?: 'open' | readonly string[] | undefined;
  /**
   * Files and folders that commands in the sandbox may read in addition to the workspace, `extraPaths` and system folders; absolute paths. Default:
   * none.
   */
  readonly sandboxRead?: readonly string[] | undefined;
  /** Time to answer a question. No answer is a denial. Default 5 min. */
  readonly askTimeout?: Duration | undefined;
}

/** Schema of `PolicyOptions`, in code and in an agent file. */
export const policyOptions = z.strictObject({
  mode: z.enum(policyModes).default('default'),
  permissions: permissionEntries.default({}),
  tools: z
    .strictObject({
      allow: z.array(z.string().min(1)).optional(),
      deny: z.array(z.string().min(1)).optional(),
    })
    .prefault({}),
  commands: z.strictObject({ allow: patterns, deny: patterns }).prefault({}),
  rules: ruleEntries.default({}),
  workspace: absolutePath.optional(),
  restrictToWorkspace: z.boolean().default(false),
  extraPaths: z.array(absolutePath).default([]),
  sandbox: z.enum(['off', 'auto', 'require']).optional(),
  sandboxNetwork: z
    .union([z.literal('open'), z.array(z.string().min(1))], {
      error: () => '"open", or a list of domains (["*.npmjs.org", "github.com:443"])',
    })
    .default('open'),
  sandboxRead: z.array(absolutePath).default([]),
  askTimeout: duration.default(300_000),
});

/** Complete settings as plain JSON, from which `createPolicy` recreates the policy. */
export type PolicySettings = z.output<typeof policyOptions> & {
  readonly sandbox: NonNullable<PolicyOptions['sandbox']>;
};

import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { duration } from './duration.ts';

/** What a call of a tool does to processes. `other` is everything that has nothing to do with them. */
export const permissions = ['start', 'kill', 'write', 'keys', 'status', 'output', 'list', 'other'] as const;

/** What no command does by default, in any mode. */
const ruleNames = [
  'recursive-forced-delete',
  'dd-to-device',
  'disk-format',
  'raw-disk-write',
  'machine-power',
  'fork-bomb',
  'kill-by-name',
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

/** Whatever may be the name of a tool is taken for one, unless it is a permission but for a capital letter or an `s`. */
function findEntryProblem(key: string): string | null {
  const known = `a permission (${permissions.join(', ')}) or the name of a tool`;
  if ((permissions as readonly string[]).includes(key)) return null;
  const word = key.toLowerCase();
  const meant = permissions.find((name) => [name, `${name}s`, name.replace(/s$/, '')].includes(word));
  if (meant !== undefined) return `${known}; did you mean ${JSON.stringify(meant)}?`;
  return /^[A-Za-z_][\w.:/-]*$/.test(key) ? null : known;
}

/** Options of a policy, as they stand in code and in an agent's file. */
export const policyOptions = z.strictObject({
  /**
   * `default`: start, kill, write and keys are asked for. `auto`: start and kill are allowed. `dangerous`: all are. `plan`:
   * start, kill, write and keys are denied and not offered. `ci`: no process tool is offered or allowed, and nothing asks.
   */
  mode: z.enum(['default', 'auto', 'dangerous', 'plan', 'ci']).default('default'),
  /** By permission, or by the name of a tool, which wins. They change what a mode says, but lift no prohibition of `plan` and `ci`. */
  permissions: permissionEntries.default({}),
  /** Names of tools; globs, in which `:` and `__` are the same. What is not in `allow` is denied, and so is what is in `deny`. */
  tools: z
    .strictObject({
      allow: z.array(z.string().min(1)).optional(),
      deny: z.array(z.string().min(1)).optional(),
    })
    .prefault({}),
  /**
   * Patterns for commands: `*` stands for any text and `?` for one character. `allow`: started without a question when each simple
   * command in it matches. `deny`: never started when any of them matches.
   */
  commands: z.strictObject({ allow: patterns, deny: patterns }).prefault({}),
  /** What becomes of a rule that holds by default, in every mode. */
  rules: z.partialRecord(z.enum(ruleNames), z.enum(['deny', 'ask', 'off'])).default({}),
  /** The folder that the work is in. Default: the working directory of this program. */
  workspace: absolutePath.optional(),
  /** Commands run in the workspace and name no path outside of it. */
  restrictToWorkspace: z.boolean().default(false),
  /** Folders and files outside of the workspace that are open all the same. */
  extraPaths: z.array(absolutePath).default([]),
  /**
   * Whether the operating system holds commands in the workspace, with `@anthropic-ai/sandbox-runtime`. `auto`: where that can be
   * had. `require`: nothing is started without it.
   */
  sandbox: z.enum(['off', 'auto', 'require']).default('off'),
  /** What a command in the sandbox reaches: these domains (`*.npmjs.org`, `github.com:443`), or `open` for everything. */
  sandboxNetwork: z.union([z.literal('open'), z.array(z.string().min(1))]).default([]),
  /** How long a person may think. No answer is a denial. Default 5 min. */
  askTimeout: duration.default(300_000),
});

export type PolicyOptions = z.input<typeof policyOptions>;
/** Complete, and plain JSON: `createPolicy` makes the same policy of it again. */
export type PolicySettings = z.output<typeof policyOptions>;

import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { duration } from './duration.ts';

/** Effects of a tool call on processes. `other` has none. */
export const permissions = ['start', 'kill', 'write', 'keys', 'status', 'output', 'list', 'other'] as const;

/** Commands refused by default, in any mode. */
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

/** Accepts any possible tool name, except a permission that differs only in case or a final `s`. */
function findEntryProblem(key: string): string | null {
  const known = `a permission (${permissions.join(', ')}) or the name of a tool`;
  if ((permissions as readonly string[]).includes(key)) return null;
  const word = key.toLowerCase();
  const meant = permissions.find((name) => [name, `${name}s`, name.replace(/s$/, '')].includes(word));
  if (meant !== undefined) return `${known}; did you mean ${JSON.stringify(meant)}?`;
  return /^[A-Za-z_][\w.:/-]*$/.test(key) ? null : known;
}

/** Options of a policy, in code and in an agent file. */
export const policyOptions = z.strictObject({
  /**
   * `default`: start, kill, write and keys are asked for. `auto`: start and kill are allowed. `dangerous`:
   * all are. `plan`: start, kill, write and keys are denied and not offered. `ci`: no process tool is offered
   * or allowed, and nothing is asked.
   */
  mode: z.enum(['default', 'auto', 'dangerous', 'plan', 'ci']).default('default'),
  /**
   * Entries by permission, or by tool name, which wins. They override the mode, except for prohibitions of
   * `plan` and `ci`.
   */
  permissions: permissionEntries.default({}),
  /**
   * Tool names; globs, in which `:` and `__` are equivalent. Tools outside `allow` and inside `deny` are
   * denied.
   */
  tools: z
    .strictObject({
      allow: z.array(z.string().min(1)).optional(),
      deny: z.array(z.string().min(1)).optional(),
    })
    .prefault({}),
  /**
   * Patterns for commands: `*` matches any text and `?` one character. `allow`: started without a question if
   * each simple command matches. `deny`: never started if any of them matches.
   */
  commands: z.strictObject({ allow: patterns, deny: patterns }).prefault({}),
  /** Overrides for the default rules, in every mode. */
  rules: z.partialRecord(z.enum(ruleNames), z.enum(['deny', 'ask', 'off'])).default({}),
  /** The folder of the work. Default: the working directory of this program. */
  workspace: absolutePath.optional(),
  /** Commands run in the workspace and name no path outside it. */
  restrictToWorkspace: z.boolean().default(false),
  /** Folders and files outside the workspace that are allowed. */
  extraPaths: z.array(absolutePath).default([]),
  /**
   * Restricts commands to the workspace by the operating system, with `@anthropic-ai/sandbox-runtime`.
   * `auto`: if available. `require`: nothing is started without it.
   */
  sandbox: z.enum(['off', 'auto', 'require']).default('off'),
  /**
   * Network access in the sandbox: these domains (`*.npmjs.org`, `github.com:443`), or `open` for everything.
   */
  sandboxNetwork: z.union([z.literal('open'), z.array(z.string().min(1))]).default([]),
  /** Time to answer a question. No answer is a denial. Default 5 min. */
  askTimeout: duration.default(300_000),
});

export type PolicyOptions = z.input<typeof policyOptions>;
/** Complete settings as plain JSON, from which `createPolicy` recreates the policy. */
export type PolicySettings = z.output<typeof policyOptions>;

import { z } from 'zod';
import type { StartRequest } from '../../policy/policy.ts';
import { isPlainText } from '../../spawn/terminal/parse-keys.ts';
import type { TypedKeys } from '../actions/terminals.ts';

/** Fields with the same meaning in every tool set. */
export const processId = z.string().min(1).describe('Id, such as tool_k3m9xq2p.');
export const signal = z.string().min(1).describe('Name of the signal, such as SIGHUP.');
export const command = z.string().min(1).describe('Text for the shell.');
export const cwd = z.string().min(1).optional().describe('Where to run it. Default: the workspace.');
export const outsideSandbox = z
  .boolean()
  .optional()
  .describe(
    'Asks a person to let it run outside the sandbox, where there is one and the command fails in it.',
  );
export const label = z.string().min(1).optional().describe('Short name of your choice.');
export const pressEnter = z
  .boolean()
  .optional()
  .describe('Presses Enter at the end. Default false, after a secret true.');
export const secret = z
  .string()
  .min(1)
  .optional()
  .describe('Name of a secret to type instead of a text; you never see its value.');
export const thenCapture = z
  .boolean()
  .default(true)
  .describe('Returns the screen once it has settled, after 1 second at most.');
export const intervalSeconds = z
  .number()
  .min(0.1)
  .default(5)
  .describe('Length of the silence, at least 0.1.');

export const lifetime = z
  .enum(['session', 'parent', 'persistent'])
  .optional()
  .describe(
    'Lifetime: session ends with you, parent passes to the agent above you, persistent survives this program. Default: as configured, else session.',
  );

interface KeysInput {
  readonly secret?: string | undefined;
  readonly text?: string | undefined;
  readonly press_enter?: boolean | undefined;
}

/** Returns what is wrong with the typed input, or `null`. */
export function findKeysProblem(input: KeysInput & { readonly hasKeys: boolean }): string | null {
  const { secret, text = '', hasKeys, press_enter = false } = input;
  if (secret !== undefined)
    return text === '' && !hasKeys ? null : 'a secret is sent alone: send text and keys in a separate call';
  return text === '' && !hasKeys && !press_enter ? 'text, keys, secret or press_enter is required' : null;
}

export function toTypedKeys(
  input: KeysInput & { readonly paste: boolean; readonly keys: readonly string[] },
): TypedKeys {
  const { secret, paste, press_enter } = input;
  if (secret !== undefined) return { type: 'secret', name: secret, pressEnter: press_enter ?? true };
  const { text, keys } = input.text === undefined ? takeText(input.keys) : { ...input, text: input.text };
  return { type: 'keys', text, isPaste: paste && text !== '', keys, pressEnter: press_enter ?? false };
}

/** Accepts plain text in place of a first key. After a key it remains an error, because text is typed first. */
function takeText(keys: readonly string[]): { readonly text: string; readonly keys: readonly string[] } {
  const [first] = keys;
  if (first === undefined || !isPlainText(first)) return { text: '', keys };
  return { text: first, keys: keys.slice(1) };
}

/** Returns the start request for the policy. */
export function toStart(input: {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly outside_sandbox?: boolean | undefined;
}): StartRequest {
  const { command, cwd, outside_sandbox } = input;
  return {
    command,
    ...(cwd !== undefined && { cwd }),
    ...(outside_sandbox === true && { sandbox: false }),
  };
}

import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { toErrorText } from '../../config/error-text.ts';
import { type PolicyOptions, policyModes } from '../../config/policy-options.ts';
import type { Policy, Verdict } from '../../policy/policy.ts';
import { type CliIo, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { readPolicyFile } from '../policy-file.ts';
import { toPrintable } from '../render/printable.ts';
import type { DefineVerb, FlagsOf } from '../verb.ts';

const addFlags = (command: Command) =>
  command
    .argument('<command...>', 'one text for the shell, or a program and its arguments')
    .passThroughOptions()
    .option('--policy <file>', 'a policy file')
    .addOption(command.createOption('--mode <mode>', 'the mode (auto)').choices(policyModes))
    .option('--restrict', 'require that the command stays in the workspace')
    .option('-C, --cwd <directory>', 'the workspace, in which it would run (here)')
    .option('--json', 'print one JSON object');

type CheckFlags = FlagsOf<typeof addFlags>;

/** Defines `troupe policy check`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  command
    .description('Says what a policy decides about commands.')
    .usage('<command> [options]')
    .helpCommand(false)
    .enablePositionalOptions()
    .addHelpText(
      'after',
      `
A policy file is YAML with the settings of "policy:" in an agent file.
See: ${name} policy check --help

Examples:
  ${name} policy check 'git add . && git push --force'
  ${name} policy check --mode default -- git log -p
  ${name} policy check --policy policy.yaml -- make deploy`,
    );
  addFlags(command.command('check'))
    .description('Prints the verdict on a command, its rule and its reason. Starts nothing.')
    .usage('[options] [--] <command...>')
    .addHelpText('after', '\nExit code: 0 if the command is allowed, 1 if it is asked about or denied.')
    .action(async (words, flags) => end(await checkCommand({ words, flags, io })));
};

interface CheckCall {
  readonly words: readonly string[];
  readonly flags: CheckFlags;
  readonly io: CliIo;
}

/** Prints the verdict on one command. @returns the exit code. @throws TroupeError `invalid-option` */
async function checkCommand({ words, flags, io }: CheckCall): Promise<number> {
  const { createPolicy } = await import('../../policy/create-policy.ts');
  const policy = createPolicy({
    mode: 'auto',
    ...(flags.policy !== undefined && (await readPolicyFile(flags.policy, io))),
    ...toOptions(flags, io),
  });
  const [text = ''] = words;
  const command = words.length === 1 ? text : words;
  const verdict = await policy.decide({ tool: 'run_command', permission: 'start', start: { command } });
  const answer = { ...toAnswer(verdict), ...(await findHolder(policy, command)) };
  await policy.close();
  if (flags.json === true) printLines(io, JSON.stringify(answer));
  else printLines(io, ...toLines(answer));
  return verdict.type === 'allow' ? exitCodes.done : exitCodes.failed;
}

/** Says what would keep the command in its workspace. */
async function findHolder(
  policy: Policy,
  command: string | readonly string[],
): Promise<{ readonly heldBy: string | null }> {
  if (!policy.settings.restrictToWorkspace) return { heldBy: null };
  try {
    const { heldBy, ended } = await policy.prepare({ command });
    ended();
    return { heldBy };
  } catch (error) {
    return { heldBy: `nothing: ${toErrorText(error)}` };
  }
}

function toOptions({ mode, restrict, cwd = '.' }: CheckFlags, io: CliIo): PolicyOptions {
  return {
    ...(mode !== undefined && { mode }),
    ...(restrict === true && { restrictToWorkspace: true }),
    workspace: resolve(io.cwd, cwd),
  };
}

interface CheckAnswer {
  readonly verdict: Verdict['type'];
  readonly rule: string | null;
  readonly reason: string | null;
  readonly hint: string | null;
  readonly heldBy: string | null;
}

function toAnswer(verdict: Verdict): Omit<CheckAnswer, 'heldBy'> {
  if (verdict.type === 'allow') return { verdict: 'allow', rule: null, reason: null, hint: null };
  const { type, reason, rule = null } = verdict;
  return { verdict: type, rule, reason, hint: verdict.type === 'deny' ? verdict.hint : null };
}

function toLines({ heldBy, ...answer }: CheckAnswer): readonly string[] {
  const entries = Object.entries({ ...answer, 'held by': heldBy }).filter(([, value]) => value !== null);
  return entries.map(([key, value]) => `${`${key}:`.padEnd(9)}${toPrintable(String(value))}`);
}

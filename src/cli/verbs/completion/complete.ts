import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { hasLiveMembers } from '../../../process/process-view.ts';
import { type CliIo, printLines } from '../../cli-io.ts';
import { exitCodes } from '../../exit-codes.ts';
import { toPrintable } from '../../render/printable.ts';
import type { DefineVerb } from '../../verb.ts';
import { withState } from '../../with-state.ts';
import { type Candidate, type CompletionSources, completeWords } from './complete-words.ts';

/** Defines `troupe __complete`, which the completion scripts call. */
export const define: DefineVerb = (command, { program, io, end }) => {
  command
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words) => end(await printCompletion(words, { program, io })));
};

/**
 * Prints candidates for a completion script: one a line, with its description behind a tab; the last line is `:` and what the shell may
 * add. Errors are not printed: they would disturb the line that is being typed. @returns the exit code.
 */
async function printCompletion(
  words: readonly string[],
  { program, io }: { readonly program: Command; readonly io: CliIo },
): Promise<number> {
  const { candidates, also } = await completeWords(words, { program, sources: toSources(words, io) }).catch(
    () => ({ candidates: [], also: 'nothing' }),
  );
  printLines(
    io,
    ...candidates.map(({ text, help }) => (help === '' ? text : `${text}\t${toOneLine(help)}`)),
    `:${also}`,
  );
  return exitCodes.done;
}

function toSources(words: readonly string[], io: CliIo): CompletionSources {
  const stateDir = readStateFlag(words);
  const flags = stateDir === undefined ? {} : { stateDir };
  return {
    processes: ({ live }) =>
      withState({ flags, io }, async (state) => {
        const { processes } = await state.list();
        const views = processes.map(({ view }) => view).filter((view) => !live || hasLiveMembers(view));
        return [
          ...views.map((view) => ({
            text: view.id,
            help: `${view.status} ${view.label ?? view.commandLine}`,
          })),
          ...toLabels(views),
        ];
      }),
    agents: () =>
      readdirSync(join(io.cwd, 'agents'))
        .flatMap((file) => /^(.+)\.ya?ml$/.exec(file)?.[1] ?? [])
        .map((text) => ({ text, help: '' })),
    schedules: () =>
      withState({ flags, io }, async (state) =>
        (await state.schedules()).schedules.map(({ id, message }) => ({ text: id, help: message })),
      ),
    machines: async () => {
      const { listMachines } = await import('../../../charts/list-machines.ts');
      return listMachines().map(({ name, description }) => ({ text: name, help: description }));
    },
  };
}

/** Leaves out labels that a shell would split. */
function toLabels(views: readonly { readonly label: string | null; readonly id: string }[]): Candidate[] {
  const labels = new Map(views.flatMap(({ label, id }) => (label === null ? [] : [[label, id] as const])));
  return [...labels]
    .filter(([label]) => /^[\w@%+=:,./-]+$/.test(label))
    .map(([text, help]) => ({ text, help }));
}

function readStateFlag(words: readonly string[]): string | undefined {
  const at = words.indexOf('--state-dir');
  return at < 0 ? undefined : words[at + 1];
}

function toOneLine(text: string): string {
  return toPrintable(text).replaceAll(/\s+/g, ' ').trim();
}

import { Command } from 'commander';
import type { CliIo } from './cli-io.ts';
import { defineChat } from './commands/chat.ts';
import { defineExec } from './commands/exec.ts';
import { defineInit } from './commands/init.ts';
import { defineMcp } from './commands/mcp.ts';
import { exitCodeHelp } from './exit-code.ts';
import { toProgramName } from './program-name.ts';
import { toPrintable } from './render/printable.ts';
import type { DefineVerb, VerbSetup } from './verb.ts';
import { readVersion } from './version.ts';

const verbs: readonly DefineVerb[] = [defineInit, defineChat, defineExec, defineMcp];

/** All verbs with their flags. What is wrong in a command line is thrown as commander's own error, and nothing is printed for it. */
export function createProgram(setup: Omit<VerbSetup, 'program'>): Command {
  const { io } = setup;
  const program = new Command(toProgramName(io.env))
    .description('Agents whose processes are supervised actors.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .usage('<command> [options]')
    .configureOutput(toOutput(io))
    .exitOverride()
    .showSuggestionAfterError()
    .enablePositionalOptions()
    .addHelpText('after', exitCodeHelp);
  for (const define of verbs) define({ ...setup, program });
  return program;
}

function toOutput({ stdout, stderr }: CliIo) {
  return {
    writeOut: (text: string) => void stdout.write(text),
    writeErr: (text: string) => void stderr.write(text),
    outputError: () => {},
  };
}

/** Commander's message in our form: the word `error` and the line breaks are gone. */
export function toUsageText(message: string): string {
  return toPrintable(message)
    .replace(/^error: /, '')
    .replace(/\s*\(Did you mean (.*?)\?\)$/s, '. Did you mean $1?')
    .replace(/([^.?])$/, '$1.');
}

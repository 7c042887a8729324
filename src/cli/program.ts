import { Command } from 'commander';
import type { CliIo } from './cli-io.ts';
import { defineAttach } from './commands/attach.ts';
import { defineChat } from './commands/chat.ts';
import { defineClean } from './commands/clean.ts';
import { defineCompletion } from './commands/completion.ts';
import { defineDoctor } from './commands/doctor.ts';
import { defineDown } from './commands/down.ts';
import { defineExec } from './commands/exec.ts';
import { defineExtend } from './commands/extend.ts';
import { defineGraph } from './commands/graph.ts';
import { defineInit } from './commands/init.ts';
import { defineKeys } from './commands/keys.ts';
import { defineKill } from './commands/kill.ts';
import { defineLogs } from './commands/logs.ts';
import { defineMcp } from './commands/mcp.ts';
import { defineProcess } from './commands/process.ts';
import { definePs } from './commands/ps.ts';
import { defineResize } from './commands/resize.ts';
import { defineRestart } from './commands/restart.ts';
import { defineRun } from './commands/run.ts';
import { defineSchedule } from './commands/schedule.ts';
import { defineScreen } from './commands/screen.ts';
import { defineServe } from './commands/serve.ts';
import { defineShow } from './commands/show.ts';
import { defineStart } from './commands/start.ts';
import { defineTop } from './commands/top.ts';
import { defineUp } from './commands/up.ts';
import { defineWait } from './commands/wait.ts';
import { defineWatch } from './commands/watch.ts';
import { defineWrite } from './commands/write.ts';
import { exitCodeHelp } from './exit-code.ts';
import { toProgramName } from './program-name.ts';
import { toPrintable } from './render/printable.ts';
import type { DefineVerb, VerbSetup } from './verb.ts';
import { readVersion } from './version.ts';

const verbs: Readonly<Record<string, readonly DefineVerb[]>> = {
  'Run commands:': [defineRun, defineStart, defineUp, defineDown],
  'Look at processes and steer them:': [
    definePs,
    defineShow,
    defineLogs,
    defineTop,
    defineWait,
    defineWatch,
    defineWrite,
    defineKill,
    defineRestart,
    defineExtend,
    defineSchedule,
    defineClean,
    defineProcess,
  ],
  'Terminals:': [defineAttach, defineScreen, defineKeys, defineResize],
  'Agents:': [defineInit, defineChat, defineExec, defineMcp],
  'Troupe itself:': [defineServe, defineDoctor, defineGraph, defineCompletion],
};

/** All verbs with their flags. What is wrong in a command line is thrown as commander's own error, and nothing is printed for it. */
export function createProgram(setup: Omit<VerbSetup, 'program'>): Command {
  const { io } = setup;
  const program = new Command(toProgramName(io.env))
    .description('Supervised processes, for people and for agents.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .usage('<command> [options]')
    .configureOutput(toOutput(io))
    .exitOverride()
    .showSuggestionAfterError()
    .enablePositionalOptions()
    .addHelpText('after', exitCodeHelp);
  for (const [heading, group] of Object.entries(verbs)) {
    program.commandsGroup(heading);
    for (const define of group) define({ ...setup, program });
  }
  // It stands in the last group.
  program.helpCommand('help [command]', 'print the help of a command');
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

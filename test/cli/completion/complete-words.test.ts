import { Argument, Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { completeWords } from '../../../src/cli/verbs/completion/complete-words.ts';

/** A program with one verb of each kind. */
function createProgram(): Command {
  const program = new Command('troupe').option('-v, --verbose', 'say more');
  const verb = (name: string) => program.command(name).description(`does ${name}`);
  verb('kill')
    .argument('<id...>', 'which')
    .option('-g, --grace <duration>', 'how long')
    .option('--force', 'now');
  verb('show').argument('<id>', 'which');
  verb('run')
    .argument('<command...>', 'what')
    .option('--cwd <dir>', 'where')
    .option('--log [word]', 'log')
    .addOption(new Option('--on <what>', 'then').choices(['kill', 'keep']))
    .option('--with <process>', 'another');
  verb('graph').addArgument(new Argument('[machine]', 'which'));
  verb('shell').addArgument(new Argument('<kind>', 'which').choices(['bash', 'zsh']));
  verb('exec').argument('[agent]').argument('[text]');
  verb('keys').argument('<id>').argument('<key...>');
  verb('ps').summary('short').description('long');
  const schedule = verb('schedule');
  schedule.command('cancel').argument('<schedule...>').description('ends one');
  schedule.command('secretly', { hidden: true });
  verb('secret');
  return program;
}

const toCandidates = (...texts: readonly string[]) => texts.map((text) => ({ text, help: '' }));

async function complete(...words: readonly string[]) {
  const asked: unknown[] = [];
  const { candidates, also } = await completeWords(words, {
    program: createProgram() as never,
    sources: {
      processes: async (choice) => {
        asked.push(choice);
        return toCandidates('tool_a', 'web');
      },
      agents: () => toCandidates('worker'),
      schedules: async () => toCandidates('sch_1'),
      machines: async () => toCandidates('process', 'watch'),
    },
  });
  return { texts: candidates.map(({ text }) => text), also, asked };
}

const live = [{ live: true }];
const any = [{ live: false }];

test.each([
  [['ki'], ['kill'], 'nothing', []],
  [['sch'], ['schedule'], 'nothing', []],
  [['help', 'k'], ['kill', 'keys'], 'nothing', []],
  [['nonsense', ''], [], 'nothing', []],
  [['--verbose', 'ki'], ['kill'], 'nothing', []],
  [['-'], ['--verbose', '--help'], 'nothing', []],
  [['kill', ''], ['tool_a', 'web'], 'nothing', live],
  [['kill', 'web', 'to'], ['tool_a'], 'nothing', live],
  [['kill', '--force', 't'], ['tool_a'], 'nothing', live],
  [['kill', '--grace', 't'], [], 'nothing', []],
  [['kill', '-g', 't'], [], 'nothing', []],
  [['kill', '-g', '5s', 't'], ['tool_a'], 'nothing', live],
  [['kill', '--'], ['--grace', '--force', '--help'], 'nothing', []],
  [['kill', '--', '--'], [], 'nothing', live],
  [['kill', '--', 'w'], ['web'], 'nothing', live],
  [['show', 'w'], ['web'], 'nothing', any],
  [['show', 'web', ''], [], 'nothing', []],
  [['run', 'l'], [], 'commands', []],
  [['run', 'ls', 'f'], [], 'files', []],
  [['run', 'ls', '--c'], [], 'files', []],
  [['run', '--cwd', 'd'], [], 'files', []],
  [['run', '--log', 'd'], [], 'nothing', []],
  [['run', '--on', 'k'], ['kill', 'keep'], 'nothing', []],
  [['run', '--with', ''], ['tool_a', 'web'], 'nothing', live],
  [['run', '--cwd', 'd', '--o'], ['--on'], 'nothing', []],
  [['graph', 'p'], ['process'], 'nothing', []],
  [['shell', ''], ['bash', 'zsh'], 'nothing', []],
  [['exec', ''], ['worker'], 'nothing', []],
  [['exec', 'worker', ''], [], 'files', []],
  [['keys', 'web', 'F1'], ['F1', 'F10', 'F11', 'F12'], 'nothing', []],
  [['keys', 'web', 'Up', 'C-'], ['C-c', 'C-d', 'C-z'], 'nothing', []],
  [['keys', ''], ['tool_a', 'web'], 'nothing', live],
  [['schedule', ''], ['cancel', 'help'], 'nothing', []],
  [['schedule', 'cancel', ''], ['sch_1'], 'nothing', []],
  [['secret', ''], [], 'nothing', []],
])('the words %j are completed to %j', async (words, texts, also, asked) => {
  expect(await complete(...words)).toEqual({ texts, also, asked });
});

test.each([
  'kill',
  'signal',
  'pause',
  'resume',
  'write',
  'restart',
  'extend',
  'wait',
  'watch',
  'attach',
  'keys',
  'resize',
])('%s is offered live processes only', async (name) => {
  const program = new Command('troupe');
  program.command(name).argument('<id>');
  const asked: unknown[] = [];
  const processes = async (choice: unknown) => {
    asked.push(choice);
    return [];
  };

  await completeWords([name, ''], { program: program as never, sources: { processes } as never });

  expect(asked).toEqual(live);
});

test('candidates have the help of their verb or option', async () => {
  const help = async (...words: readonly string[]) => {
    const sources = {} as never;
    const { candidates } = await completeWords(words, { program: createProgram() as never, sources });
    return candidates.map((candidate) => candidate.help);
  };

  expect(await help('ki')).toEqual(['does kill']);
  expect(await help('ps')).toEqual(['short']);
  expect(await help('kill', '--g')).toEqual(['how long']);
});

test('every named key is offered', async () => {
  expect((await complete('keys', 'web', '')).texts.join(' ')).toBe(
    'Enter Tab Escape Space Backspace Delete Insert Up Down Left Right Home End PageUp PageDown F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 C-c C-d C-z',
  );
});

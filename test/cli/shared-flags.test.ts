import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { createCommand } from 'commander';
import { expect, test } from 'vitest';
import { type VerbEntry, verbGroups } from '../../src/cli/verbs.ts';
import { fakeIo } from './fake-io.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/cli-flags.md'), 'utf8');

interface Verb {
  readonly name: string;
  readonly flags: readonly string[];
}

async function listVerbs(): Promise<readonly Verb[]> {
  const entries = Object.values(verbGroups).flatMap((verbs) => Object.entries(verbs));
  const shown = entries.filter(([name, entry]) => entry.isHidden !== true && name !== 'process');
  return (await Promise.all(shown.map(([name, entry]) => define(name, entry)))).flat();
}

async function define(name: string, entry: VerbEntry): Promise<readonly Verb[]> {
  const command = createCommand(name) as unknown as Command;
  const context = { program: command, name: 'troupe', io: fakeIo().io, overrides: [], end: () => {} };
  (await entry.load()).define(command, context);
  const own = command.commands.map((each) => toVerb(`${name} ${each.name()}`, each as unknown as Command));
  return own.length > 0 ? own : [toVerb(name, command)];
}

function toVerb(name: string, { options }: Command): Verb {
  return { name, flags: options.map(({ long, short }) => [short, long].filter(Boolean).join(', ')) };
}

/** Rows of the first table: the flag, and the verbs in the last column. */
function listRows(): ReadonlyMap<string, readonly string[]> {
  const rows = page.split('\n').flatMap((line) => {
    const [, flag, verbs] = /^\| `(-[^`<]*?)(?: <[^`]*>)?` \|.*\| ([^|]*) \|$/.exec(line) ?? [];
    return flag === undefined || verbs === undefined ? [] : [[flag, verbs.split(', ')] as const];
  });
  return new Map(rows);
}

test('the reference lists every flag that several verbs share, with its verbs', async () => {
  const verbs = await listVerbs();
  const uses = verbs.flatMap(({ name, flags }) => flags.map((flag) => ({ name, flag })));
  const shared = [...Map.groupBy(uses, ({ flag }) => flag)].flatMap(([flag, of]) =>
    of.length < 2 ? [] : [[flag, of.map(({ name }) => name).toSorted()] as const],
  );

  expect(Object.fromEntries([...listRows()].map(([flag, names]) => [flag, names.toSorted()]))).toEqual(
    Object.fromEntries(shared),
  );
});

test('the reference names every verb without --json', async () => {
  const without = (await listVerbs())
    .filter(({ flags }) => !flags.includes('--json'))
    .map(({ name }) => name);

  const [, section = ''] = /^## Verbs without `--json`\n(.*?)^## /ms.exec(page) ?? [];
  const named = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);

  expect(named.toSorted()).toEqual(without.toSorted());
});

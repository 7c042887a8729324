import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { listAgentFilePaths } from '../../docs/reference/agent-files-page.ts';
import { generatedPages } from '../../docs/reference/generate.ts';
import { optionSchemas } from '../../docs/reference/option-schemas.ts';
import { createEventReader, createOptionReader } from '../../docs/reference/read-options.ts';
import { describeDefault, toShape } from '../../docs/reference/schema-default.ts';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { errorCodes } from '../../src/config/troupe-error.ts';
import { toStatePaths } from '../../src/store/state-paths.ts';
import { rootFolder } from './examples.ts';

/** Programs are parsed, which takes long where others want the processor. */
const PARSING = { timeout: 300_000 };

function readPage(file: string): string {
  return readFileSync(join(rootFolder, 'docs/reference', file), 'utf8');
}

/** The texts in backticks of the first cell of each row below a heading, or of the whole page. */
function firstCells(page: string): readonly string[] {
  return [...page.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
}

function section(page: string, title: string): string {
  const [, text] = page.split(`\n## ${title}`);
  if (text === undefined) throw new Error(`There is no section "${title}".`);
  return text.split('\n## ')[0] ?? '';
}

test.each(Object.entries(generatedPages))(
  '%s is what the code says (npm run reference)',
  PARSING,
  (file, toText) => {
    expect(readPage(file)).toBe(toText());
  },
);

test('the page of agent files has each setting of the schema', () => {
  expect(firstCells(readPage('agent-files.md')).toSorted()).toEqual(listAgentFilePaths().toSorted());
});

describe('the page of events', () => {
  const page = readPage('events.md');
  const read = createEventReader();

  test('has each event of a supervisor', PARSING, () => {
    expect(firstCells(section(page, 'Of a supervisor')).toSorted()).toEqual(read('RuntimeEvent'));
  });

  test('has each entry of a timeline', PARSING, () => {
    const runtime = firstCells(section(page, 'Of a supervisor'));
    const listed = [...runtime, ...firstCells(section(page, 'In a timeline'))];

    expect(read('TimelineEvent').filter((name) => !listed.includes(name))).toEqual([]);
    expect(
      firstCells(section(page, 'In a timeline')).filter((name) => !read('TimelineEvent').includes(name)),
    ).toEqual([]);
  });

  test('has each notification of watches and schedules', PARSING, () => {
    const names = [...read('WatchNews'), ...read('ScheduleNews')];

    expect(firstCells(section(page, 'Of watches')).toSorted()).toEqual(names.toSorted());
  });

  test('has each event of a conversation', PARSING, () => {
    expect(firstCells(section(page, 'Of a conversation')).toSorted()).toEqual(read('ConversationEvent'));
  });
});

describe('the page of environment variables', () => {
  const sources = readdirSync(join(rootFolder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(rootFolder, 'src', file), 'utf8'))
    .join('\n');
  const listed = firstCells(readPage('environment.md'));

  test('has each variable that the code reads or sets', () => {
    const read = [...sources.matchAll(/\benv\['([A-Z][A-Z_]+)'\]|\benv\.([A-Z][A-Z_]+)\b/g)];
    const own = [...sources.matchAll(/\bTROUPE_[A-Z_]*[A-Z]\b/g)].map(([name]) => name);
    const keys = [...sources.matchAll(/keyName: '([A-Z_]+)'/g)].map(([, name = '']) => name);
    const names = new Set([...read.map(([, a, b]) => a ?? b ?? ''), ...own, ...keys]);

    expect(
      [...names].filter((name) => !listed.some((each) => each === name || each === `${name}_…`)),
    ).toEqual([]);
    expect(names.size).toBeGreaterThan(15);
  });

  test('has no variable that the code does not name', () => {
    expect(listed.filter((name) => !sources.includes(name.replace('…', '')))).toEqual([]);
  });
});

test('the page of exit codes has each code', () => {
  const listed = firstCells(readPage('exit-codes.md'));

  expect(Object.values(exitCodes).filter((code) => !listed.includes(String(code)))).toEqual([]);
  expect(
    listed
      .filter((code) => !/^128\+n$/.test(code))
      .map(Number)
      .toSorted(),
  ).toEqual(Object.values(exitCodes).toSorted());
});

test('each error code that is thrown is in the list, and each in the list is thrown', () => {
  const sources = readdirSync(join(rootFolder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('troupe-error.ts'))
    .map((file) => readFileSync(join(rootFolder, 'src', file), 'utf8'))
    .join('\n');

  expect(Object.keys(errorCodes).filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
});

describe('the page of files', () => {
  const page = readPage('files.md');

  test('has each field of a record', PARSING, () => {
    const fields = createOptionReader()('ProcessRecord').options.map(({ name }) => name);

    expect(firstCells(section(page, 'The record')).toSorted()).toEqual(fields.toSorted());
  });

  test('has each path of a state directory', () => {
    const { recordOf, logOf, statusOf, screenOf, supervisorOf } = toStatePaths('/state');
    const paths = [recordOf, logOf, statusOf, screenOf, supervisorOf].map((toPath) =>
      toPath('id').replace('/state/', '').replace('/id.', '/<id>.'),
    );

    expect(paths.filter((path) => !firstCells(page).includes(path))).toEqual([]);
  });
});

describe('the page of defaults', () => {
  const claims = [...readPage('defaults.md').matchAll(/\| `([\w.]+)` = `?([^|`]+?)`? \|/g)];
  const interfaces = ['SupervisorOptions', 'CommandSpec'];

  test.each(claims.map(([, path = '', value = '']) => [path, value]))('says that %s is %s', (path, value) => {
    const { schema, name } = findOption(path);
    const type = schema.def.type === 'default' && isDuration(name) ? 'Duration' : '';

    expect(describeDefault(schema, { name, type })?.replaceAll('`', '')).toBe(value);
  });

  test('has claims', () => {
    expect(claims.length).toBeGreaterThan(15);
  });

  /** An option of the supervisor or of a start; `policy.mode` is one of a policy. */
  function findOption(path: string) {
    const [head = '', inner] = path.split('.');
    const shapes: readonly Readonly<Record<string, z.ZodType | undefined>>[] =
      head === 'policy'
        ? [{ policy: optionSchemas['PolicyOptions'] }]
        : interfaces.map((each) => shapeOf(each));
    const outer = shapes.map((shape) => shape[head]).find((each) => each !== undefined);
    const schema = inner === undefined ? outer : outer && toShape(outer)[inner];
    if (schema === undefined) throw new Error(`There is no option ${path}.`);
    return { schema, name: inner ?? head };
  }

  function shapeOf(name: string) {
    const schema = optionSchemas[name];
    if (schema === undefined) throw new Error(`There is no schema of ${name}.`);
    return toShape(schema);
  }

  function isDuration(name: string): boolean {
    return /(timeout|Time|Grace|etention|Silence|Timeout|After)$/.test(name);
  }
});

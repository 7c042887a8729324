import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listAgents, loadAgent } from '../../src/agents/load-agent.ts';
import { openProject } from './project.ts';

test('an agent is read by its name', async () => {
  using project = openProject({ coder: 'model: gpt-5' });

  expect(await loadAgent('coder', project)).toEqual({ name: 'coder', model: { name: 'gpt-5' } });
});

test('the list shows agents by name', async () => {
  using project = openProject({
    writer: 'model: scripted',
    coder: 'model: scripted\ntype: execution\nversion: "2"\ndescription: Writes code.',
  });
  project.write('agents/notes.txt', 'no agent');

  const agents = await listAgents(project.directory);

  expect(agents).toEqual([
    {
      name: 'coder',
      description: 'Writes code.',
      type: 'execution',
      version: '2',
      file: join(project.directory, 'agents/coder.yaml'),
      error: null,
    },
    expect.objectContaining({ name: 'writer', type: 'interactive', version: null }),
  ]);
});

test('a broken file does not hide the others', async () => {
  using project = openProject({ coder: 'model: scripted', broken: 'modl: scripted' });

  const agents = await listAgents(project.directory);

  expect(agents.map(({ name, error }) => [name, error !== null])).toEqual([
    ['broken', true],
    ['coder', false],
  ]);
  expect(agents[0]?.error).toContain('agents/broken.yaml:2:');
});

test('the error for an unknown agent lists the known ones', async () => {
  using project = openProject({ coder: 'model: scripted', writer: 'model: scripted' });

  await expect(loadAgent('codr', project)).rejects.toMatchObject({
    code: 'unknown-agent',
    message: 'Agent "codr" not found. Agents: coder, writer. Did you mean "coder"?',
  });
});

test('a project without agents says where they go', async () => {
  using project = openProject();

  await expect(loadAgent('coder', project)).rejects.toMatchObject({
    code: 'unknown-agent',
    message: expect.stringContaining(`There are no agents in ${join(project.directory, 'agents')}`),
  });
});

test.each(['../coder', '/etc/passwd', '', '.', 'a\u001b[31mb'])('%j is no agent', async (name) => {
  using project = openProject({ coder: 'model: scripted' });

  await expect(loadAgent(name, { directory: join(project.directory, 'agents') })).rejects.toMatchObject({
    code: 'unknown-agent',
    message: expect.not.stringContaining('\u001b'),
  });
});

test('the name is as the file is called', async () => {
  using project = openProject();
  project.write('agents/coder.yaml', 'name: writer\nmodel: scripted\n');

  await expect(loadAgent('coder', project)).rejects.toMatchObject({
    code: 'invalid-agent-file',
    message: 'agents/coder.yaml: "name" is "writer"; expected "coder", equal to the file name.',
  });
});

test('a directory is no agent', async () => {
  using project = openProject();
  mkdirSync(join(project.directory, 'agents/coder.yaml'));

  await expect(loadAgent('coder', project)).rejects.toMatchObject({
    code: 'invalid-agent-file',
    message: 'agents/coder.yaml is not a file; an agent is one YAML file.',
  });
});

test('text that is no UTF-8 is refused', async () => {
  using project = openProject();
  project.write('agents/coder.yaml', Uint8Array.of(0x6e, 0xff, 0xfe));

  await expect(loadAgent('coder', project)).rejects.toMatchObject({
    code: 'invalid-agent-file',
    message: 'agents/coder.yaml is not UTF-8 text; save it as UTF-8.',
  });
});

test('a file beyond all measure is refused', async () => {
  using project = openProject({ coder: `model: scripted\nsystem_prompt: ${'x'.repeat(1024 * 1024)}` });

  await expect(loadAgent('coder', project)).rejects.toMatchObject({
    code: 'invalid-agent-file',
    message: expect.stringContaining('1048576 at most'),
  });
});

test('a file that cannot be read is named', async () => {
  using project = openProject();
  // Permissions do not stop root; a link to itself stops everyone.
  symlinkSync('coder.yaml', join(project.directory, 'agents/coder.yaml'));

  await expect(loadAgent('coder', project)).rejects.toMatchObject({
    code: 'invalid-agent-file',
    message: expect.stringContaining('agents/coder.yaml cannot be read: '),
  });
});

test('a link to nowhere is named', async () => {
  using project = openProject();
  symlinkSync('/nowhere/coder.yaml', join(project.directory, 'agents/coder.yaml'));

  await expect(loadAgent('coder', project)).rejects.toMatchObject({
    code: 'invalid-agent-file',
    message: expect.stringContaining('agents/coder.yaml cannot be read: '),
  });
});

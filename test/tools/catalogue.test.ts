import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NoticeDelivery } from '../../src/tools/tool.ts';
import { type ToolSetName, toolSets } from '../../src/tools/tool-sets.ts';

const names = Object.keys(toolSets) as ToolSetName[];
const golden = (name: string) => join(import.meta.dirname, 'golden', `${name}.txt`);

test.for(names)('the tools of the set %s are described to a model as before', async (name) => {
  const tools = toolSets[name].map((tool) => {
    const { title, description, permissions, inputSchema, outputSchema } = tool;
    const facts = { permissions, input: inputSchema, ...(outputSchema && { output: outputSchema }) };
    return [`# ${tool.name}: ${title}`, description, JSON.stringify(facts, null, 2)].join('\n');
  });

  await expect(`${tools.join('\n\n')}\n`).toMatchFileSnapshot(golden(`catalogue-${name}`));
});

test.for<NoticeDelivery>(['wake', 'next-step', 'next-answer', 'none'])(
  'tools promise notices that come by %s as before',
  async (notices) => {
    const tools = Object.values(toolSets)
      .flat()
      .filter(({ forNotices }) => forNotices !== undefined)
      .map((tool) => `# ${tool.name}\n${tool.forNotices?.(notices).description}`);

    await expect(`${tools.join('\n\n')}\n`).toMatchFileSnapshot(golden(`notices-${notices}`));
  },
);

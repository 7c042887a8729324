import { agentFileSchema } from '../../src/config/agent-file-schema.ts';
import { createOptionReader, type DocumentedOption } from './read-options.ts';
import { toShape } from './schema-default.ts';

const introduction = `# Agent files

\`agents/<name>.yaml\` of a project. Only \`name\` and \`model\` are required. This page is made from the types (\`npm run reference\`); a test compares it with the schema.

Names are in snake_case. A duration is a number of **seconds**, or text with a unit: \`30\`, \`250ms\`, \`5m\`. An unknown name is an error, with its line and column. Each setting can be overridden for one chat by its path: \`troupe chat --limits.max_steps=20\`.

\`\`\`yaml
name: assistant
model: { provider: openai, name: gpt-5 }
system_prompt: You help with this repository.
supervisor:
  default_timeout: 30
policy:
  mode: default
\`\`\`

| setting | default | |
|---|---|---|
`;

/** The interfaces of the sections that have one of their own. */
const sections: Readonly<Record<string, string>> = {
  model: 'ModelSettings',
  tools: 'AgentToolSettings',
  supervisor: 'AgentSupervisorSettings',
  policy: 'AgentPolicySettings',
  delegation: 'DelegationSettings',
  context: 'ContextSettings',
  limits: 'AgentLimits',
};

export function toAgentFilesPage(): string {
  const read = createOptionReader();
  const rows = read('AgentDefinition').options.flatMap((option) => {
    const { name } = option;
    const section = sections[name];
    const inner =
      section === undefined ? [] : read(section).options.map((each) => toRow(`${name}.${each.name}`, each));
    return [toRow(name, option), ...inner];
  });
  return introduction + rows.join('');
}

/** The paths that the schema accepts, two levels deep. */
export function listAgentFilePaths(): readonly string[] {
  return Object.entries(toShape(agentFileSchema)).flatMap(([name, schema]) => [
    name,
    ...Object.keys(toShape(schema)).map((inner) => `${name}.${inner}`),
  ]);
}

function toRow(path: string, option: DocumentedOption): string {
  const cells = [`\`${path}\``, option.default ?? '', option.text];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}

import { createOptionReader, type DocumentedInterface, type DocumentedOption } from './read-options.ts';

/** The interfaces of the page, in order, under the call that takes them. */
const sections: Readonly<Record<string, readonly string[]>> = {
  'The supervisor: `createSupervisor`': ['SupervisorOptions', 'LimitOptions', 'OutputOptions', 'HintOptions'],
  'A start: `start`, `execute`': [
    'CommandSpec',
    'FunctionSpec',
    'ProcessOptions',
    'ReadyOptions',
    'RestartOptions',
    'SizeOptions',
  ],
  'A process: methods of its handle': [
    'KillOptions',
    'SignalOptions',
    'LimitChanges',
    'ReadOptions',
    'IterationOptions',
    'OutputIterationOptions',
    'WaitOptions',
    'KeyOrder',
    'CaptureOptions',
    'SecretOptions',
  ],
  'Groups: `startGroup`': ['GroupOptions', 'GroupMemberOptions'],
  'Watches and schedules: `watch`, `schedule`': ['WatchOptions', 'ScheduleOptions'],
  'Policies: `createPolicy`, and wherever a policy is taken': ['PolicyOptions'],
  'Conversations: `createConversation`': ['ConversationOptions', 'FinishOptions'],
  'Any agent loop: `createToolHost`': ['ToolHostOptions', 'ToolCallOptions'],
  'Tools of other libraries: `fromAiSdkTools`, `fromMcpClient`': [
    'ForeignToolOptions',
    'AiSdkToolOptions',
    'McpClientToolOptions',
  ],
  'Agents: `createAgent`, `runAgent`': ['AgentOptions', 'RunOptions'],
  'Models: `createOpenAiModel`, `createAiSdkModel`': ['OpenAiModelOptions', 'AiSdkModelSettings'],
  'MCP: `troupe/mcp`': [
    'McpServerOptions',
    'ChangeOptions',
    'McpFetchOptions',
    'McpRunOptions',
    'HttpOptions',
  ],
  'Machines of your own: `troupe/xstate`': ['LeaveOptions'],
  'Pages: `createLocalStore`, `createLiveHandler`, `troupe/react`': [
    'LocalStoreOptions',
    'LiveHandlerOptions',
    'RemoteStoreOptions',
  ],
  'Tests: `troupe/testing`': ['ScriptedBackendOptions', 'PathOptions'],
};

const introduction = `# Options

All options of the library, with their defaults. This page is made from the types (\`npm run reference\`); a test compares it with them, and the defaults with the schemas that check the options.

A \`Duration\` is a number of milliseconds, or text with a unit: \`'250ms'\`, \`'30s'\`, \`'5m'\`, \`'2h'\`, \`'7d'\`. An option that is \`undefined\` counts as omitted. An unknown option, and a value of another
type, is refused with \`invalid-option\`; the message names the option, its value and what is expected. Options in bold are required.
`;

export function toOptionsPage(): string {
  const read = createOptionReader();
  const parts = Object.entries(sections).flatMap(([title, names]) => [
    `## ${title}\n`,
    ...names.map((name) => toSection(read(name))),
  ]);
  return [introduction, ...parts].join('\n');
}

function toSection({ name, text, options }: DocumentedInterface): string {
  const own = options.filter(({ declaredBy }) => declaredBy === name);
  const others = new Set(
    options.flatMap(({ declaredBy }) => (declaredBy === name ? [] : (declaredBy ?? []))),
  );
  const more = others.size === 0 ? '' : ` Also those of ${[...others].map(toLink).join(', ')}.`;
  const head = '| option | type | default | |\n|---|---|---|---|\n';
  return `### ${name}\n\n${text}${more}\n\n${head}${own.flatMap((option) => toRows(option, '')).join('')}`;
}

function toLink(name: string): string {
  return `[${name}](#${name.toLowerCase()})`;
}

function toRows(option: DocumentedOption, prefix: string): readonly string[] {
  const name = `\`${prefix}${option.name}\``;
  const cells = [
    option.isRequired && prefix === '' ? `**${name}**` : name,
    `\`${option.type}\``,
    option.default ?? '',
    option.text,
  ];
  const row = `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  const documented = option.options.filter(({ text }) => text !== '');
  return [row, ...documented.flatMap((inner) => toRows(inner, `${prefix}${option.name}.`))];
}

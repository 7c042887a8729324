import { defaultAgentText } from '../default-agent.ts';

const readme = `# A project with an agent

- \`agents/assistant.yaml\` says what the agent is: its model, what it may do, how long its commands may take.
- \`troupe chat\` talks with it. \`troupe exec assistant --task "…"\` gives it one thing to do and prints the answer.
- \`.troupe/\` keeps its conversations and the output of its processes; it is not for version control.

Without a key a small scripted model answers. For a real one:

    export OPENAI_API_KEY=…      # and OPENAI_BASE_URL for another endpoint
    troupe chat                  # --model.name=… for another model than the file says
`;

/** What `troupe init` writes, by path in the project. */
export const projectFiles = {
  'agents/assistant.yaml': defaultAgentText,
  'README.md': readme,
} as const satisfies Readonly<Record<string, string>>;

/** The line that keeps conversations and output out of version control. */
export const ignoredLine = '.troupe/';

import { toDefaultAgentText } from '../default-agent.ts';

function toReadme(program: string): string {
  return `# A project with an agent

- \`agents/assistant.yaml\` says what the agent is: its model, what it may do, how long its commands may take.
- \`${program} chat\` talks with it. \`${program} exec assistant --task "…"\` gives it one thing to do and prints the answer.
- \`.troupe/\` keeps its conversations and the output of its processes; it is not for version control.

Without a key a small scripted model answers. For a real one:

    export OPENAI_API_KEY=…      # and OPENAI_BASE_URL for another endpoint
    ${program} chat                  # --model.name=… for another model than the file says
`;
}

/** What `init` writes, by path in the project. */
export function toProjectFiles(program: string): Readonly<Record<string, string>> {
  return {
    'agents/assistant.yaml': toDefaultAgentText(program),
    'README.md': toReadme(program),
  };
}

/** The line that keeps conversations and output out of version control. */
export const ignoredLine = '.troupe/';

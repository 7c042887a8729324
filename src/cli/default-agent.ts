/** Returns the text of the agent file that `init` writes. `chat` uses the same agent in a project that has none. */
export function toDefaultAgentText(program: string): string {
  return `# An agent of this project. Everything but "name" and "model" may be left out.
# Talk with it: ${program} chat assistant      Give it one thing to do: ${program} exec assistant --task "…"

name: assistant
description: Works in this project, and runs commands as supervised processes.
version: "1"

model:
  # The key is read from OPENAI_API_KEY; without one a small scripted model answers.
  # OPENAI_BASE_URL leads to any other endpoint that speaks Chat Completions.
  provider: openai
  name: gpt-5                   # without a name here: what OPENAI_MODEL says
  # temperature: 0.2

system_prompt: |
  You are a careful software engineer who works in the user's project.
  Look before you change something. Start what takes long in the background: a notice comes when it ends.
  End the processes that you do not need any more. Say briefly what you did and what you found.

policy:
  # default: you are asked before a command is started or ended. auto: these are allowed. plan: only reading.
  mode: default

supervisor:
  default_timeout: 30s          # so long a call waits; then the command continues in the background
  max_execution_time: 5m        # hard limit in the foreground
  max_background_time: 0        # hard limit in the background; 0: none
  max_background_processes: 10

# tools:
#   allow: [run_command, "*_process*"]
#   deny: [kill_process]

# delegates: [reviewer]         # agents/reviewer.yaml, as the tool delegate_to_reviewer
`;
}

import type { PolicyRule } from './policy-options.ts';
import type { Span } from './span.ts';

/** Options of the supervisor of an agent, as its file has them; see `SupervisorOptions`. */
export interface AgentSupervisorSettings {
  /**
   * Time that a caller waits in the foreground, from the call on, including time queued for a slot, restarts
   * and pauses between them. 0: `on_timeout` never applies. Default 30 s.
   */
  readonly default_timeout?: Span | undefined;
  /**
   * The action when a foreground caller has waited for `default_timeout`: the process moves to the `background`, is ended (`kill`), or the
   * caller continues to wait (`wait`). Default `background`.
   */
  readonly on_timeout?: 'background' | 'kill' | 'wait' | undefined;
  /** Hard limit in the foreground, from the call on. 0: none. Default 5 min. */
  readonly max_execution_time?: Span | undefined;
  /** Hard limit of the whole run of a background process. Default 0: none. */
  readonly max_background_time?: Span | undefined;
  /** Lifetime of background commands, except agents, whose start names none; see `CommandSpec.lifetime`. Default `session`. */
  readonly lifetime?: 'session' | 'parent' | 'persistent' | undefined;
  /** Time from SIGTERM to SIGKILL. Default 5 s. */
  readonly kill_grace?: Span | undefined;
  /** Time without output after the leader's exit, after which the output counts as complete. Default 100 ms. */
  readonly drain_quiet?: Span | undefined;
  /** Maximum wait for output after the leader's exit. Default 2 s. */
  readonly drain_max?: Span | undefined;
  /** Silence after which a background process is reported. 0: never. Default 5 min. */
  readonly notify_after_silence?: Span | undefined;
  /** Runtime after which a background process is reported once. Default 0: never. */
  readonly notify_after?: Span | undefined;
  /** Bytes kept in memory for each stream: the head and the newest tail. Default 1 MiB, at least 1 KiB. */
  readonly max_buffer_bytes?: number | undefined;
  /** Bytes of the kept head. Default 64 KiB. */
  readonly head_bytes?: number | undefined;
  /** Bytes at which a log file is capped: head and rolling tail stay. Default 64 MiB, at least 4 KiB. */
  readonly max_log_bytes?: number | undefined;
  /** Bytes at which a reply (the result of `execute`, the answer of a tool) is cut; head and tail stay. Default 32 KiB, at least 256. */
  readonly max_reply_bytes?: number | undefined;
  /** The shell for commands given as text. Default: bash, or sh if it is missing. */
  readonly shell?: string | undefined;
  /** Variables added to every environment. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Names of this program's variables that no process inherits; globs that replace the default. Variables in `env` are passed anyway.
   * Default `*_API_KEY`, `*_APIKEY`, `*_ACCESS_KEY`, `*_SECRET_KEY`, `*_PRIVATE_KEY`, `*_TOKEN`, `*_SECRET`, `*_authToken`.
   */
  readonly redact_names?: readonly string[] | undefined;
  /** Variables that tell programs that no person is there. Default: all of them. */
  readonly hints?: AgentHintSettings | undefined;
  /**
   * The terminal of interactive processes. `tmux` survives this program, `pty` does not. `auto`:
   * tmux if it is installed and usable, else a pty, else none. A process with `secrets` gets none where tmux
   * would be used, which writes them into its log. Default `auto`.
   */
  readonly terminal?: 'auto' | 'tmux' | 'pty' | 'none' | undefined;
  /** Maximum number of tools and services that run in the foreground at once; further ones are queued. Default 5. */
  readonly max_parallel_tools?: number | undefined;
  /** Maximum number of background processes; further background starts are refused. 0: none is allowed. Default 10. */
  readonly max_background_processes?: number | undefined;
  /** Time from SIGTERM to SIGKILL when the supervisor shuts down. Default 3 s. */
  readonly shutdown_grace?: Span | undefined;
  /** Time that an ended process is kept for queries. Default 30 min. */
  readonly retention?: Span | undefined;
  /** Maximum number of ended processes kept. Default 1000. */
  readonly max_finished?: number | undefined;
  /** Time that the log of an ended process is kept. Default 7 d. */
  readonly log_retention?: Span | undefined;
  /**
   * Globs of tools whose commands run in the background, unless `tools.modes` names them. Default `server__*`, `docker__run*`, `*__serve*`,
   * `*__start_server*`.
   */
  readonly force_background_patterns?: readonly string[] | undefined;
  /** Globs of tools whose commands run in the foreground, unless `tools.modes` names them. Default `files__read_file`, `files__write_file`. */
  readonly force_sync_patterns?: readonly string[] | undefined;
}

/** Variables that tell programs that no person is there. */
export interface AgentHintSettings {
  /** Sets `PAGER=cat` and `GIT_PAGER=cat`. Default `true`. */
  readonly pager?: boolean | undefined;
  /** Sets `GIT_TERMINAL_PROMPT=0`. Default `true`. */
  readonly git_prompt?: boolean | undefined;
  /** Sets `TERM=dumb` without a terminal. Default `true`. */
  readonly term?: boolean | undefined;
}

/** Options of the policy of an agent, as its file has them; see `PolicyOptions`. The workspace is the project. */
export interface AgentPolicySettings {
  /**
   * `default`: commands that only read start; other starts, kill, write and keys are asked for. `auto`: kill and
   * start are allowed, except for what a rule asks about. `dangerous`: nothing is asked. `plan`: commands that only
   * read start; everything else that changes is denied. `ci`: no process tool is offered or allowed, and nothing is
   * asked. Default `default`.
   */
  readonly mode?: 'default' | 'auto' | 'dangerous' | 'plan' | 'ci' | undefined;
  /**
   * Entries by permission, or by tool name, which wins. They override the mode, except for prohibitions of
   * `plan` and `ci`. Default: none.
   */
  readonly permissions?: Readonly<Record<string, 'allow' | 'ask' | 'deny'>> | undefined;
  /**
   * Tool names; globs, in which `:` and `__` are equivalent. Tools outside `allow` and inside `deny` are
   * denied. Default: all tools.
   */
  readonly tools?: AgentPolicyTools | undefined;
  /** Patterns for commands: `*` matches any text and `?` one character. Default: none. */
  readonly commands?: AgentPolicyCommands | undefined;
  /**
   * Rules by name: `deny`, `ask` or `off` for a default rule, or a rule of your own. Yours also ask in the mode
   * `dangerous`. Default: the default rules.
   */
  readonly rules?: Readonly<Record<string, 'deny' | 'ask' | 'off' | PolicyRule>> | undefined;
  /** Requires that commands run in the workspace and name no path outside it. Default `false`. */
  readonly restrict_to_workspace?: boolean | undefined;
  /** Folders and files outside the workspace that are allowed; absolute paths. Default: none. */
  readonly extra_paths?: readonly string[] | undefined;
  /**
   * Restricts commands to the workspace by the operating system, with `@anthropic-ai/sandbox-runtime`.
   * `auto`: if available; inside it only rules ask. `require`: nothing is started without it. Default `auto` with
   * `restrictToWorkspace`, else `off`.
   */
  readonly sandbox?: 'off' | 'auto' | 'require' | undefined;
  /**
   * Network access in the sandbox: these domains (`*.npmjs.org`, `github.com:443`), or `open` for everything. A list also
   * makes servers in the sandbox unreachable from outside. Default `open`.
   */
  readonly sandbox_network?: 'open' | readonly string[] | undefined;
  /**
   * Files and folders that commands in the sandbox may read in addition to the workspace, `extra_paths` and system folders; absolute paths. Default:
   * none.
   */
  readonly sandbox_read?: readonly string[] | undefined;
  /** Time to answer a question. No answer is a denial. Default 5 min. */
  readonly ask_timeout?: Span | undefined;
}

/** Tools that the policy of an agent allows and denies. */
export interface AgentPolicyTools {
  /** Tools that may be used; globs. Default: all. */
  readonly allow?: readonly string[] | undefined;
  /** Tools that may not be used; globs. Wins over `allow`. Default: none. */
  readonly deny?: readonly string[] | undefined;
}

/** Commands that the policy of an agent allows and denies. */
export interface AgentPolicyCommands {
  /** A command is started without a question if each simple command in it matches. Default: none. */
  readonly allow?: readonly string[] | undefined;
  /** A command is never started if any simple command in it matches. Default: none. */
  readonly deny?: readonly string[] | undefined;
}

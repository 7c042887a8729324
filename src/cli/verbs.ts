import type { DefineVerb } from './verb.ts';

/** Entry of a verb in the list of commands. The file of the verb is loaded only when it is called, completed or explained. */
export interface VerbEntry {
  /** Default: `[options]`. */
  readonly usage?: string;
  readonly summary: string;
  /** Names of the verb in other programs, each with the flags that it stands for. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly isHidden?: boolean;
  readonly load: () => Promise<{ readonly define: DefineVerb }>;
  /** Subcommands. */
  readonly verbs?: Readonly<Record<string, VerbEntry>>;
}

const show: VerbEntry = {
  usage: '[options] <id>',
  summary: 'print everything about a process',
  aliases: { inspect: [] },
  load: () => import('./verbs/show.ts'),
};
const ps: VerbEntry = {
  summary: 'list processes',
  aliases: { status: [], list: [] },
  load: () => import('./verbs/ps.ts'),
};
const logs: VerbEntry = {
  usage: '[options] <id...>',
  summary: 'print what processes wrote',
  aliases: { log: [], tail: ['--follow'] },
  load: () => import('./verbs/logs/logs.ts'),
};
const wait: VerbEntry = {
  usage: '[options] <id...>',
  summary: 'wait for an end, a port, a line, silence',
  load: () => import('./verbs/wait/wait.ts'),
};
const watch: VerbEntry = {
  usage: '[options] <id>',
  summary: 'report silence, or lines that match',
  load: () => import('./verbs/watch.ts'),
};
const write: VerbEntry = {
  usage: '[options] <id> [text...]',
  summary: 'write to the input of a process',
  load: () => import('./verbs/write.ts'),
};
const kill: VerbEntry = {
  usage: '[options] <id...>',
  summary: 'end processes',
  aliases: { stop: [], rm: [] },
  load: () => import('./verbs/kill.ts'),
};
const signal: VerbEntry = {
  usage: '[options] <id> <signal>',
  summary: 'send a signal, such as HUP',
  load: () => import('./verbs/signal.ts'),
};
const pause: VerbEntry = {
  usage: '[options] <id...>',
  summary: 'halt processes until they are resumed',
  load: () => import('./verbs/pause.ts'),
};
const resume: VerbEntry = {
  usage: '[options] <id...>',
  summary: 'continue paused processes',
  load: () => import('./verbs/resume.ts'),
};
const restart: VerbEntry = {
  usage: '[options] <id...>',
  summary: 'end processes and start them again',
  load: () => import('./verbs/restart.ts'),
};
const attach: VerbEntry = {
  usage: '[options] <id>',
  summary: 'attach to the terminal of a process',
  load: () => import('./verbs/attach/attach.ts'),
};
const screen: VerbEntry = {
  usage: '[options] <id>',
  summary: 'print what a terminal shows',
  aliases: { capture: [] },
  load: () => import('./verbs/screen.ts'),
};
const keys: VerbEntry = {
  usage: '[options] <id> [key...]',
  summary: 'type in a terminal',
  load: () => import('./verbs/keys.ts'),
};
const resize: VerbEntry = {
  usage: '[options] <id> <size>',
  summary: 'give a terminal another size',
  load: () => import('./verbs/resize.ts'),
};

/** Verbs, grouped as in the list of commands. */
export const verbGroups: Readonly<Record<string, Readonly<Record<string, VerbEntry>>>> = {
  'Run commands:': {
    run: {
      usage: '[options] <command...>',
      summary: 'run a command in the foreground',
      load: () => import('./verbs/run/run.ts'),
    },
    start: {
      usage: '[options] <command...>',
      summary: 'start a command in the background',
      load: () => import('./verbs/start/start.ts'),
    },
    up: {
      usage: '[options] [words...]',
      summary: 'start the processes of a file, in order',
      load: () => import('./verbs/up/up.ts'),
    },
    down: {
      usage: '[options] [words...]',
      summary: 'stop the processes of a file, in reverse order',
      load: () => import('./verbs/down.ts'),
    },
  },
  'Look at processes and steer them:': {
    ps,
    show,
    logs,
    top: {
      summary: 'watch processes',
      load: () => import('./verbs/top/top.ts'),
    },
    ui: {
      summary: 'watch and steer processes in a web page',
      load: () => import('./verbs/ui.ts'),
    },
    wait,
    watch,
    events: {
      summary: 'print what happens, as it happens',
      load: () => import('./verbs/events.ts'),
    },
    write,
    kill,
    signal,
    pause,
    resume,
    restart,
    extend: {
      usage: '[options] <id>',
      summary: 'change time limits of a process',
      load: () => import('./verbs/extend.ts'),
    },
    schedule: {
      usage: '<command>',
      summary: 'remind an agent later',
      load: () => import('./verbs/schedule.ts'),
    },
    clean: {
      summary: 'forget processes that have ended',
      load: () => import('./verbs/clean.ts'),
    },
    process: {
      usage: '<command>',
      summary: 'the same by other names: process list, show, output, …',
      load: () => import('./verbs/process.ts'),
      verbs: {
        list: ps,
        show,
        output: logs,
        kill,
        wait,
        watch,
        write,
        signal,
        pause,
        resume,
        restart,
        attach,
        screen,
        keys,
        resize,
      },
    },
  },
  'Terminals:': { attach, screen, keys, resize },
  'Agents:': {
    init: {
      usage: '[options] [directory]',
      summary: 'create a project with an agent',
      load: () => import('./verbs/init.ts'),
    },
    chat: {
      usage: '[options] [agent]',
      summary: 'talk with an agent in the terminal',
      load: () => import('./verbs/chat/chat.ts'),
    },
    exec: {
      usage: '[options] <agent>',
      summary: 'give an agent one task and print its answer',
      load: () => import('./verbs/exec/exec.ts'),
    },
    policy: {
      usage: '<command>',
      summary: 'say what a policy decides about a command',
      load: () => import('./verbs/policy.ts'),
    },
    mcp: {
      summary: 'serve processes to clients of the Model Context Protocol',
      load: () => import('./verbs/mcp.ts'),
    },
  },
  'Troupe itself:': {
    serve: {
      summary: 'run the daemon in the foreground',
      load: () => import('./verbs/serve.ts'),
    },
    worker: {
      summary: 'run commands of other hosts',
      load: () => import('./verbs/worker.ts'),
    },
    doctor: {
      summary: 'check this machine',
      load: () => import('./verbs/doctor/doctor.ts'),
    },
    graph: {
      usage: '[options] [machine]',
      summary: 'print a statechart',
      load: () => import('./verbs/graph/graph.ts'),
    },
    completion: {
      usage: '<shell>',
      summary: 'print a completion script for a shell',
      load: () => import('./verbs/completion/completion.ts'),
    },
    __complete: {
      usage: '[words...]',
      summary: '',
      isHidden: true,
      load: () => import('./verbs/completion/complete.ts'),
    },
  },
};

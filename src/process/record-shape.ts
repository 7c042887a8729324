import { finalStatuses } from '../../machines/process/view.ts';
import {
  anything,
  atLeast,
  flag,
  listOf,
  mapOf,
  matching,
  number,
  object,
  oneBy,
  oneOf,
  optional,
  orNull,
  type Shape,
  text,
} from '../config/shape.ts';

const heldBy = oneOf('cgroup', 'lineage');
const member = object({ pid: number, pgid: number, startedAt: text, command: text });
const exit = orNull(object({ code: orNull(number), signal: orNull(text) }));
const byLimit = object({ limit: text, afterMs: number });
const reason = oneBy('type', {
  exited: object({ code: number }),
  signalled: object({ signal: text, by: text }),
  timed_out: byLimit,
  timedOut: byLimit,
  killed: object({ by: text, signal: text, escalated: flag }),
  spawnFailed: object({ cause: text, code: orNull(text), message: text }),
  cancelled: object({ by: text }),
  outOfMemory: object({ limitBytes: number, signal: text }),
  fileTooLarge: object({ limitBytes: number, signal: text }),
  lost: object({ why: text }),
});
const command = oneBy('type', {
  argv: object({ argv: listOf(text) }),
  shell: object({ script: text, shell: text }),
  function: object({ name: text }),
});
const work = oneBy('type', {
  argv: object({ file: text, args: listOf(text) }),
  shell: object({ script: text, shell: text }),
});
const line: Shape = (value) =>
  typeof value === 'string' || value === undefined ? null : object({ source: text, flags: text })(value);

const terminal = oneBy('type', {
  terminal: object({ columns: number, rows: number, attach: orNull(listOf(text)), because: text }),
  none: object({ because: text }),
});
const progress = object({
  percent: orNull(number),
  state: oneOf('running', 'paused', 'failed'),
  text: orNull(text),
});
const awaitsInput = object({
  kind: oneOf('line', 'secret', 'key'),
  certainty: oneOf('known', 'hint'),
  prompt: orNull(text),
  since: number,
});

const appliedLimits = object({
  memoryBytes: optional(number),
  memoryOf: optional(oneOf('tree', 'process')),
  processes: optional(number),
  cpus: optional(number),
  openFiles: optional(number),
  fileBytes: optional(number),
  nice: optional(number),
  oomScoreAdj: optional(number),
});

const facts = {
  id: text,
  kind: oneOf('tool', 'agent', 'service'),
  command,
  commandLine: text,
  cwd: text,
  label: orNull(text),
  owner: text,
  lifetime: oneOf('session', 'parent', 'persistent'),
  tool: orNull(text),
  callId: optional(orNull(text)),
  host: optional(orNull(text)),
  metadata: mapOf(anything),
  mode: text,
  executionMode: text,
  attempt: number,
  createdAt: number,
  output: object({
    bytes: number,
    lines: orNull(number),
    droppedBytes: number,
    lastOutputAt: orNull(number),
    logFile: orNull(text),
    degraded: orNull(text),
  }),
  terminal: optional(orNull(terminal)),
  progress: optional(orNull(progress)),
  takesInput: optional(flag),
  awaitsInput: optional(orNull(awaitsInput)),
  resourceLimits: optional(orNull(appliedLimits)),
};

/** Facts of a live process, which has no end. */
const live = { ...facts, endedAt: (value: unknown) => (value === undefined ? null : '') };

const started = {
  ...live,
  pid: orNull(number),
  pgid: orNull(number),
  held: optional(orNull(heldBy)),
  startedAt: number,
  runtimeMs: number,
  endsAt: optional(orNull(number)),
  restarts: number,
  ready: object({ state: oneOf('undeclared', 'waiting', 'ready', 'failed') }),
};

const ended = object({
  ...facts,
  pid: orNull(number),
  startedAt: orNull(number),
  backgroundedAt: orNull(number),
  endedAt: number,
  runtimeMs: number,
  restarts: number,
  exit,
  reason,
  leftovers: listOf(member),
  suspects: optional(listOf(member)),
  cpuMs: optional(orNull(number)),
  peakMemoryBytes: optional(orNull(number)),
  readBytes: optional(orNull(number)),
  writtenBytes: optional(orNull(number)),
  held: optional(orNull(heldBy)),
  receipt: orNull(
    object({
      signalled: text,
      escalated: flag,
      survivors: listOf(member),
      leftoversEnded: listOf(member),
      durationMs: number,
    }),
  ),
});

const view = oneBy('status', {
  pending: object({ ...live, queued: flag }),
  running: object({ ...started, pausedAt: optional(orNull(number)) }),
  backgrounded: object({ ...started, pausedAt: optional(orNull(number)), backgroundedAt: number }),
  stopping: object({ ...started, survivors: listOf(member), because: optional(orNull(text)) }),
  restarting: object({ ...live, restarts: number, nextStartAt: number, reason }),
  ...Object.fromEntries(finalStatuses.map((status) => [status, ended])),
});

const scope = { bootId: orNull(text), pidNamespace: orNull(text) };

const limits = object({
  timeoutMs: number,
  maxExecutionMs: number,
  maxBackgroundMs: number,
  killGraceMs: number,
  drainQuietMs: number,
  drainMaxMs: number,
  notifyAfterSilenceMs: number,
  notifyAfterMs: number,
});

const expression: Shape = (value) => {
  if (typeof value !== 'string') return '';
  try {
    new RegExp(value);
    return null;
  } catch {
    return '';
  }
};

/** Shape of a watch in `revival`. A watch of another shape is dropped, and its record stays valid. */
export const watchShape: Shape = object({
  owner: text,
  wants: oneBy('type', {
    quiet: object({ quietMs: atLeast(100) }),
    pattern: object({ pattern: expression }),
  }),
  since: number,
  told: number,
  toldBytes: optional(atLeast(0)),
  toldUnfinished: optional(listOf(oneOf('stdout', 'stderr', 'screen'))),
});

const revival = object({
  likeness: text,
  background: flag,
  onTimeout: oneOf('background', 'kill', 'wait'),
  limits,
  leftoverPolicy: oneOf('keep', 'kill'),
  restart: object({
    policy: oneOf('temporary', 'transient', 'permanent'),
    maxRestarts: number,
    withinMs: number,
    minBackoffMs: number,
    maxBackoffMs: number,
    healthyAfterMs: number,
  }),
  ready: orNull(
    object({
      within: number,
      line,
      port: optional(number),
      http: optional(text),
      file: optional(text),
      alive: optional(number),
    }),
  ),
  maxReplyBytes: atLeast(256),
  maxLogBytes: atLeast(4_096),
  files: object({ log: text, status: text, screen: optional(text) }),
  size: optional(orNull(object({ columns: number, rows: number }))),
  work,
  stdin: oneOf('end', 'pipe'),
  envNames: optional(listOf(text)),
  env: optional(mapOf(orNull(text))),
  hints: object({ pager: flag, gitPrompt: flag, term: flag }),
  attemptOffset: number,
  restartedAt: listOf(number),
  nextStartAt: orNull(number),
  stop: orNull(object({ cause: object({ type: text }), signal: text, graceMs: number, escalated: flag })),
});

const sentSignal = object({ signal: text, via: text, pids: listOf(number) });
const entryFacts = { at: number, by: optional(text), detail: optional(text), signal: optional(sentSignal) };
const cause = object({ event: text, guards: listOf(text) });
const newEntry = object({ ...entryFacts, type: text, cause: optional(cause) });
const olderEntry = object({ ...entryFacts, event: text });
const entry: Shape = (value) =>
  typeof value === 'object' && value !== null && 'event' in value ? olderEntry(value) : newEntry(value);

/** Shape of a record of version 1, as far as it is relied on. Later additions may be missing, see `readRecord`. */
export const recordShape: Shape = object({
  supervisorId: matching(/^[\w-]{1,64}$/),
  scope: object(scope),
  savedAt: number,
  savedMachineMs: optional(number),
  view,
  timeline: listOf(entry),
  likeness: optional(text),
  leader: orNull(
    object({
      ...scope,
      pid: number,
      pgid: number,
      sid: number,
      startedAt: text,
      cookie: text,
      cgroup: optional(orNull(text)),
    }),
  ),
  readers: optional(mapOf(object({ stdout: atLeast(0), stderr: atLeast(0), screen: atLeast(0) }))),
  revival: orNull(revival),
});

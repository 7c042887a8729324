import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Limits, RestartSettings } from '../../machines/process/context.ts';
import { parseOptions } from '../config/parse-options.ts';
import type { CommandSettings, FunctionSettings, InputSource, ParsedSpec } from '../config/process-spec.ts';
import { commandSpec, functionSpec } from '../config/process-spec.ts';
import { quote } from '../config/quote.ts';
import type { ResourceLimits } from '../config/resource-limits.ts';
import type { SupervisorSettings } from '../config/supervisor-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { redactText, redactValue } from '../output/redact.ts';
import { decideExecution } from '../policy/decide-execution.ts';
import { type Command, toCommandLine } from '../process/command.ts';
import { toReportingCommand } from '../process/cwd-report.ts';
import { isStream } from '../process/input-feed.ts';
import type { Launch, ProcessPlan } from '../process/process-plan.ts';
import type { ProcessDescription } from '../process/process-view.ts';
import type { Backend, InProcessWork, Work } from '../spawn/backend.ts';
import { inProcessBackend } from '../spawn/in-process/in-process-backend.ts';
import { type LimitObstacle, planLimits, readLimitPowers } from '../spawn/limits.ts';
import { workerBackend } from '../spawn/worker/worker-backend.ts';
import { chooseHost, toRemoteDirectory } from './choose-host.ts';
import { chooseTerminal, type TerminalChoice } from './choose-terminal.ts';
import { createPlan } from './create-plan.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

/** @throws TroupeError `invalid-option` */
export function parseSpec(input: unknown): ParsedSpec {
  const isFunction = typeof input === 'object' && input !== null && 'run' in input;
  return isFunction
    ? parseOptions(functionSpec, { input, name: 'start' })
    : parseOptions(commandSpec, { input, name: 'start' });
}

/** Decides everything about a process that can be decided before it exists. @throws TroupeError `invalid-option` */
export function planProcess(given: ParsedSpec, deps: SupervisorDeps): ProcessPlan {
  const { settings } = deps;
  checkId(given);
  const maxExecutionTime = given.maxExecutionTime ?? settings.maxExecutionTime;
  const execution = decideExecution(settings, { ...given, maxExecutionTime });
  const isBackgroundCommand = execution.background && !('run' in given) && given.kind !== 'agent';
  const lifetime = given.lifetime ?? (isBackgroundCommand ? settings.lifetime : 'session');
  const spec = { ...given, lifetime };
  const command = toCommand(spec, deps);
  const secrets = 'secrets' in spec ? Object.values(spec.secrets) : [];
  const shown = redactCommand(command, secrets);
  const id = given.id ?? deps.system.createId(given.kind, toCommandLine(shown));
  const isDurable = lifetime === 'persistent';
  if (isDurable) checkPersistent(spec, deps);
  const host = chooseHost(spec, deps);
  const terminal = chooseTerminal(spec, { id, host, deps });
  const backend = toBackend(spec, { terminal, host, deps });
  const input = 'run' in spec ? null : checkInput({ ...spec, lifetime });
  if ('command' in spec) checkCwdFile(spec);
  const launch = toLaunch(spec, { command, terminal, deps });
  const cwd = toDirectory(spec, { host, deps });
  return createPlan(
    {
      description: {
        id,
        kind: spec.kind,
        command: shown,
        commandLine: toCommandLine(shown),
        cwd: redactText(cwd, secrets),
        label: spec.label === undefined ? null : redactText(spec.label, secrets),
        owner: spec.owner ?? settings.owner,
        lifetime,
        tool: spec.tool ?? null,
        callId: spec.callId ?? null,
        metadata: redactValue(spec.metadata, secrets),
        executionMode: execution.because,
        host,
        resourceLimits: toAppliedLimits(spec, { backend, isDurable, deps }),
      },
      run: {
        background: execution.background,
        onTimeout: execution.onTimeout,
        limits: toLimits(spec, {
          settings,
          timeoutMs: execution.timeoutMs,
          maxExecutionMs: maxExecutionTime,
        }),
        leftoverPolicy: spec.leftovers,
        restart: toRestartSettings(spec.restart),
      },
      ...{ cwd, backend, terminal: terminal?.view ?? null, input, launch },
      fingerprint: toFingerprint([command, cwd, ...(input === null ? [] : [toHashed(input)])]),
      ready: spec.ready ?? null,
      output: {
        maxBufferBytes: spec.maxBufferBytes ?? settings.maxBufferBytes,
        headBytes: spec.headBytes ?? settings.headBytes,
        maxReplyBytes: settings.maxReplyBytes,
        secrets,
      },
      maxLogBytes: spec.logFile ? (spec.maxLogBytes ?? settings.maxLogBytes) : null,
      // A process that outlives this program writes its own files, and so does tmux.
      writesFiles: isDurable || backend.mode === 'tmux',
      outlives: isDurable,
    },
    deps,
  );
}

/** @throws TroupeError `invalid-option` for a limit that cannot be kept. */
function toAppliedLimits(
  spec: ParsedSpec,
  { backend, isDurable, deps }: { backend: Backend; isDurable: boolean; deps: SupervisorDeps },
): ProcessDescription['resourceLimits'] {
  if ('run' in spec) return null;
  const limits = definedOnly({ ...deps.settings.resourceLimits, ...definedOnly(spec.resourceLimits ?? {}) });
  const [first] = Object.keys(limits) as (keyof typeof limits)[];
  if (first === undefined) return null;
  if (backend.capabilities.limits !== true)
    throw refuseLimit(limits, {
      ...{ option: first, why: `the backend "${backend.mode}" keeps no limits` },
      remedy: 'Leave it out.',
    });
  // A backend of the caller's knows what it can keep, and so does a worker.
  if (deps.treeDeps === null || backend.mode === 'remote') return limits;
  const { cgroups } = deps;
  const powers = readLimitPowers(cgroups === null ? () => 'the option "cgroups" is false' : cgroups.enable);
  const planned = planLimits(limits, { writesOwnLog: isDurable && backend.mode === 'file', powers });
  if ('option' in planned) throw refuseLimit(limits, planned);
  return planned;
}

function refuseLimit(limits: ResourceLimits, { option, why, remedy }: LimitObstacle): TroupeError {
  const message = `start: "resourceLimits.${option}" is ${limits[option]}; ${why}. ${remedy}`;
  return new TroupeError({ code: 'invalid-option', message });
}

function toRestartSettings(restart: ParsedSpec['restart']): RestartSettings {
  const { policy, maxRestarts, within, minBackoff, maxBackoff, healthyAfter } = restart;
  return {
    ...{ policy, maxRestarts, withinMs: within },
    ...{ minBackoffMs: minBackoff, maxBackoffMs: maxBackoff, healthyAfterMs: healthyAfter },
  };
}

function toDirectory(
  spec: ParsedSpec,
  { host, deps }: { readonly host: string | null; readonly deps: SupervisorDeps },
): string {
  if (host !== null && 'command' in spec) return toRemoteDirectory(spec);
  return resolve(deps.cwd, ('cwd' in spec ? spec.cwd : undefined) ?? '.');
}

function toBackend(
  spec: ParsedSpec,
  { terminal, host, deps }: { terminal: TerminalChoice | null; host: string | null; deps: SupervisorDeps },
): Backend {
  const { backend, durableBackend, remote } = deps;
  if (host !== null && remote !== null) return remote;
  if ('run' in spec) return typeof spec.run === 'function' ? inProcessBackend : workerBackend;
  if (terminal?.backend != null) return terminal.backend;
  return spec.lifetime === 'persistent' ? (durableBackend ?? backend) : backend;
}

function toLimits(
  spec: ParsedSpec,
  decided: { settings: SupervisorSettings; timeoutMs: number; maxExecutionMs: number },
): Limits {
  const { settings, timeoutMs, maxExecutionMs } = decided;
  return {
    timeoutMs,
    maxExecutionMs,
    maxBackgroundMs: spec.maxBackgroundTime ?? settings.maxBackgroundTime,
    killGraceMs: spec.killGrace ?? settings.killGrace,
    drainQuietMs: spec.drainQuiet ?? settings.drainQuiet,
    drainMaxMs: spec.drainMax ?? settings.drainMax,
    notifyAfterSilenceMs: spec.notifyAfterSilence ?? settings.notifyAfterSilence,
    notifyAfterMs: spec.notifyAfter ?? settings.notifyAfter,
  };
}

function toCommand(spec: ParsedSpec, deps: SupervisorDeps): Command {
  if ('run' in spec) return { type: 'function', name: toFunctionName(spec.run) };
  // The copy has no spare capacity, unlike a parsed array.
  if (typeof spec.command !== 'string') return { type: 'argv', argv: [...spec.command] };
  return { type: 'shell', script: spec.command, shell: spec.shell ?? deps.shell };
}

function toLaunch(
  spec: ParsedSpec,
  { command, terminal, deps }: { command: Command; terminal: TerminalChoice | null; deps: SupervisorDeps },
): Launch {
  const { hints } = deps.settings;
  if ('run' in spec) {
    const work = toLocalWork(spec.run);
    return { work, stdin: 'end', size: null, hints, env: {}, lostNames: [], secrets: {} };
  }
  return {
    work:
      spec.wrappedCommand === undefined
        ? toWork(command as Exclude<Command, { type: 'function' }>, spec.cwdFile)
        : toProgram(spec.wrappedCommand),
    // Without a terminal the process can at least be written to.
    stdin: spec.interactive || spec.input !== undefined ? 'pipe' : spec.stdin,
    size: terminal?.size ?? null,
    hints: spec.hints === undefined ? hints : { ...hints, ...definedOnly(spec.hints) },
    env: spec.env,
    lostNames: [],
    secrets: spec.secrets,
  };
}

function toLocalWork(run: FunctionSettings['run']): Extract<Work, { type: 'function' | 'worker' }> {
  if (typeof run === 'function') return { type: 'function', run: run as InProcessWork };
  const { worker: module, workerData, resourceLimits } = run;
  return { type: 'worker', module, workerData, resourceLimits };
}

/** Returns the name of a function, or that of the file of a module. */
function toFunctionName(run: FunctionSettings['run']): string {
  if (typeof run === 'function') return run.name || 'anonymous';
  return run.worker.startsWith('file:') ? basename(fileURLToPath(run.worker)) : 'worker';
}

function definedOnly<T extends object>(partial: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(partial).filter(([, value]) => value !== undefined)) as never;
}

function toFingerprint(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

/** @throws TroupeError `invalid-option` where two options decide what is the same process. */
function checkId(spec: ParsedSpec): void {
  if (spec.id === undefined || !('onDuplicate' in spec) || spec.onDuplicate === 'allow') return;
  const message = `start: "id" is ${quote(spec.id)} and "onDuplicate" is ${quote(spec.onDuplicate)}; give one of them. With an id, the process of that id is returned.`;
  throw new TroupeError({ code: 'invalid-option', message });
}

/** @throws TroupeError `invalid-option` for a program without a shell. */
function checkCwdFile({ command, cwdFile }: CommandSettings): void {
  if (cwdFile === undefined || typeof command === 'string') return;
  const message =
    'start: "cwdFile" is given; only a shell has a directory at its end. Give "command" as text, or leave "cwdFile" out.';
  throw new TroupeError({ code: 'invalid-option', message });
}

/** Returns the part of an input in the fingerprint: streams cannot be compared. */
function toHashed(input: InputSource): string {
  return isStream(input) ? 'stream' : createHash('sha256').update(input).digest('base64');
}

/** @throws TroupeError `invalid-option` for an input that contradicts another option. */
function checkInput(spec: CommandSettings): InputSource | null {
  const { input } = spec;
  if (input === undefined) return null;
  const why = findContradiction(input, spec);
  if (why !== null)
    throw new TroupeError({ code: 'invalid-option', message: `start: "input" is given; ${why}` });
  return input;
}

function findContradiction(input: InputSource, spec: CommandSettings): string | null {
  if (spec.stdin === 'pipe')
    return 'stdin is then written and ended by troupe. Leave "stdin" out, or use write and endInput.';
  if (spec.interactive) return 'a terminal has no end of input. Leave "interactive" out, or use write.';
  const isRestarted = spec.restart.policy !== 'temporary';
  if (isRestarted && spec.lifetime === 'persistent') {
    return 'it is not recorded, so the next supervisor could not restart the process with it. Use the restart policy "temporary", or "session".';
  }
  if (!isStream(input)) return null;
  if (isRestarted)
    return 'a stream can be read only once, so no restart can have it. Give text or bytes, or use the restart policy "temporary".';
  if (input instanceof ReadableStream && input.locked)
    return 'the stream is locked, so another reader has it. Give a stream that nothing else reads.';
  if (spec.onDuplicate !== 'allow')
    return 'streams cannot be compared, so no process is a duplicate. Give text or bytes, or leave "onDuplicate" out.';
  return null;
}

function redactCommand(command: Command, secrets: readonly string[]): Command {
  if (secrets.length === 0 || command.type === 'function') return command;
  if (command.type === 'shell') return { ...command, script: redactText(command.script, secrets) };
  const [file, ...args] = command.argv.map((word) => redactText(word, secrets));
  return { type: 'argv', argv: [file ?? '', ...args] };
}

/** @throws TroupeError `invalid-option` for a persistent process that cannot outlive this program. */
function checkPersistent(spec: ParsedSpec, { paths, durableBackend }: SupervisorDeps): void {
  const why = findObstacle(spec, { isKept: paths !== null, isDurable: durableBackend !== null });
  if (why === null) return;
  throw new TroupeError({ code: 'invalid-option', message: `start: "lifetime" is "persistent"; ${why}` });
}

function findObstacle(
  spec: ParsedSpec,
  { isKept, isDurable }: { isKept: boolean; isDurable: boolean },
): string | null {
  if ('run' in spec)
    return 'a function or a worker thread runs in this program and ends with it. Run a command, or use "session".';
  if (!isKept) {
    return 'the supervisor\'s "stateDirectory" is false, so no later supervisor could adopt the process. Name a directory.';
  }
  if (!isDurable)
    return 'this supervisor\'s own backend cannot run processes that outlive it. Use "session".';
  if (!spec.logFile) return '"logFile" is false, and its output can only go to a file. Leave "logFile" out.';
  if (Object.keys(spec.secrets).length > 0) {
    return 'it writes its log itself, where "secrets" cannot be hidden. Pass them as "env" if its log may show them, or use "session".';
  }
  return null;
}

function toWork(
  command: Exclude<Command, { type: 'function' }>,
  cwdFile: string | undefined,
): Exclude<Work, { type: 'function' | 'worker' }> {
  if (command.type === 'argv') return toProgram(command.argv);
  const { script, shell } = command;
  const reporting = cwdFile === undefined ? null : toReportingCommand(script, { shell, file: cwdFile });
  return reporting === null ? command : toProgram(reporting);
}

function toProgram([file, ...args]: readonly [string, ...string[]]): Extract<Work, { type: 'argv' }> {
  return { type: 'argv', file, args };
}

import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { toErrorText } from '../../config/error-text.ts';
import type { PolicySettings } from '../../config/policy-options.ts';
import { findClosed, findProtected, findReadable } from './confined-paths.ts';
import type { SandboxRuntime, SharedSandbox } from './sandbox-runtime.ts';

/** Restrictions that the operating system enforces for commands. */
export interface SandboxPlan {
  /** Folders that may be written to, with all below them. */
  readonly writable: readonly string[];
  /** Additional paths that may be read. */
  readonly readable: readonly string[];
  /** Domains that may be reached; `open`: everything. */
  readonly network: PolicySettings['sandboxNetwork'];
}

/** Command to run in a sandbox. */
interface SandboxedStart {
  readonly cwd: string;
  /** Additional folders that may be written to. */
  readonly writable: readonly string[];
}

interface Wrapped {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  ended(): void;
}

export type Sandbox =
  | {
      readonly ok: true;
      /** Returns the program and arguments that run the text for the shell inside. `ended` must be called after the end. */
      wrap(text: string, start: SandboxedStart): Promise<Wrapped>;
      close(): Promise<void>;
    }
  | { readonly ok: false; readonly why: string };

/** Directory for temporary files that is writable in every sandbox of the runtime. */
const TEMPORARY = '/tmp/claude';

/**
 * Gets the sandbox ready. The runtime holds one configuration for all of this program; the first that is opened decides whether the
 * network is filtered, until all are closed.
 */
export async function openSandbox(plan: SandboxPlan, shared: SharedSandbox): Promise<Sandbox> {
  let runtime: SandboxRuntime;
  try {
    runtime = await shared.acquire();
  } catch (error) {
    return { ok: false, why: toErrorText(error) };
  }
  const why = await start(runtime, { network: plan.network, shared }).catch(toErrorText);
  if (why === null) return toSandbox(runtime, { ...plan, close: () => shared.release() });
  await shared.release();
  return { ok: false, why };
}

async function start(
  runtime: SandboxRuntime,
  { network, shared }: { readonly network: SandboxPlan['network']; readonly shared: SharedSandbox },
): Promise<string | null> {
  if (!runtime.isSupportedPlatform()) return `there is none for ${process.platform}`;
  const { errors } = runtime.checkDependencies();
  if (errors.length > 0) return errors.join('; ');
  // The runtime lets commands write there but does not create it.
  mkdirSync(TEMPORARY, { recursive: true, mode: 0o700 });
  await shared.openNetwork(network === 'open' ? 'open' : 'filtered');
  return null;
}

function toSandbox(
  runtime: SandboxRuntime,
  { writable, readable, network, close }: SandboxPlan & { close: () => Promise<void> },
): Sandbox {
  // The runtime assigns connections to commands by this name: it must not be guessable.
  const commandId = randomBytes(24).toString('base64url');
  if (network !== 'open') runtime.registerCommandNetworkLists(commandId, { allowedDomains: network });
  return {
    ok: true,
    close,
    wrap: async (text, { cwd, writable: more }) => {
      const allowWrite = [...writable, ...more];
      const closed = findClosed();
      const filesystem = {
        denyRead: closed,
        allowRead: [...allowWrite, ...findReadable(closed), ...readable],
        allowWrite,
        denyWrite: writable.flatMap(findProtected),
      };
      const { argv } = await runtime.wrapWithSandboxArgv(text, undefined, { filesystem }, undefined, cwd, {
        commandId,
      });
      const [program, ...args] = argv;
      if (program === undefined) throw new Error('the sandbox gave no command');
      return {
        command: [program, ...withSignals(args)],
        env: { TMPDIR: TEMPORARY },
        ended: onlyOnce(() => runtime.cleanupAfterCommand()),
      };
    },
  };
}

/**
 * Makes the shell around the sandbox end by the signal that ended the command inside. Bubblewrap reports a signal as an exit code above
 * 128, as shells do.
 */
function withSignals(args: readonly string[]): readonly string[] {
  const script = args.at(-1);
  if (args.at(-2) !== '-c' || script === undefined) return args;
  const tail = 's=$?; if [ "$s" -gt 128 ] && [ "$s" -le 192 ]; then kill -"$((s - 128))" "$$"; fi; exit "$s"';
  return [...args.slice(0, -1), `${script}\n${tail}`];
}

function onlyOnce(callback: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) callback();
    isDone = true;
  };
}

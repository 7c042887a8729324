import { randomBytes } from 'node:crypto';
import { toErrorText } from '../../config/error-text.ts';
import type { PolicySettings } from '../../config/policy-options.ts';
import type { SandboxRuntime, SharedSandbox } from './sandbox-runtime.ts';

/** Restrictions that the operating system enforces for commands. */
export interface SandboxPlan {
  /** Folders that may be written to, with all below them. */
  readonly writable: readonly string[];
  /** Domains that may be reached; `open`: everything. */
  readonly network: PolicySettings['sandboxNetwork'];
}

export type Sandbox =
  | {
      readonly ok: true;
      /** Text for the shell as a program with its arguments that runs it inside. `writable`: folders beside those of the plan. */
      wrap(
        text: string,
        start: { readonly cwd: string; readonly writable: readonly string[] },
      ): Promise<readonly [string, ...string[]]>;
      close(): Promise<void>;
    }
  | { readonly ok: false; readonly why: string };

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
  const why = await start(runtime, plan.network).catch(toErrorText);
  if (why === null) return toSandbox(runtime, { ...plan, close: () => shared.release() });
  await shared.release();
  return { ok: false, why };
}

async function start(runtime: SandboxRuntime, network: SandboxPlan['network']): Promise<string | null> {
  if (!runtime.isSupportedPlatform()) return `there is none for ${process.platform}`;
  const { errors } = runtime.checkDependencies();
  if (errors.length > 0) return errors.join('; ');
  const isOpen = network === 'open';
  if (runtime.getConfig() === undefined) {
    await runtime.initialize({
      network: { ...(!isOpen && { allowedDomains: [] }), deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
    });
  }
  const filters = runtime.getConfig()?.network?.allowedDomains !== undefined;
  if (filters !== isOpen) return null;
  return 'it is in use already in this program, with the network open in one policy and filtered in the other';
}

function toSandbox(
  runtime: SandboxRuntime,
  { writable, network, close }: SandboxPlan & { close: () => Promise<void> },
): Sandbox {
  // The runtime assigns connections to commands by this name: it must not be guessable.
  const commandId = randomBytes(24).toString('base64url');
  if (network !== 'open') runtime.registerCommandNetworkLists(commandId, { allowedDomains: network });
  return {
    ok: true,
    close,
    wrap: async (text, { cwd, writable: more }) => {
      const filesystem = { denyRead: [], allowWrite: [...writable, ...more], denyWrite: [] };
      const { argv } = await runtime.wrapWithSandboxArgv(text, undefined, { filesystem }, undefined, cwd, {
        commandId,
      });
      const [program, ...args] = argv;
      if (program === undefined) throw new Error('the sandbox gave no command');
      return [program, ...args];
    },
  };
}

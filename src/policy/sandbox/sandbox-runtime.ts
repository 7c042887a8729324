import { loadInstalled } from '../../config/installed-package.ts';
import { guardFilter } from './guard-filter.ts';

/** Used part of `@anthropic-ai/sandbox-runtime`, which users install to enable the sandbox. */
export interface SandboxRuntime {
  isSupportedPlatform(): boolean;
  checkDependencies(): { readonly errors: readonly string[] };
  initialize(config: SandboxRuntimeConfig): Promise<void>;
  registerCommandNetworkLists(commandId: string, lists: { readonly allowedDomains: readonly string[] }): void;
  /** Removes mount points from the disk once no command runs. Must be called after each command. */
  cleanupAfterCommand(): void;
  /** Sockets of the programs that filter the network, on Linux. */
  getLinuxHttpSocketPath(): string | undefined;
  getLinuxSocksSocketPath(): string | undefined;
  /** Ends the filters of the network; whatever still runs in the sandbox is cut off from it. */
  reset(): Promise<void>;
  wrapWithSandboxArgv(
    command: string,
    shell: string | undefined,
    config: Pick<SandboxRuntimeConfig, 'filesystem'>,
    signal: undefined,
    cwd: string,
    options: { readonly commandId: string },
  ): Promise<{ readonly argv: readonly string[] }>;
}

export interface SandboxRuntimeConfig {
  readonly network: {
    readonly allowedDomains: readonly string[];
    readonly deniedDomains: readonly string[];
  };
  readonly filesystem: {
    readonly denyRead: readonly string[];
    /** Exceptions of `denyRead`. */
    readonly allowRead?: readonly string[];
    readonly allowWrite: readonly string[];
    readonly denyWrite: readonly string[];
  };
}

/** The runtime with its one configuration, shared by all policies of a program. */
export interface SharedSandbox {
  /** Loads the runtime; each call wants a `release`. Rejects when it cannot be loaded. */
  acquire(): Promise<SandboxRuntime>;
  /**
   * Starts the filter of the network, unless the network is open. Rejects while others use it the other way: the runtime has one
   * network for all of this program.
   */
  openNetwork(network: 'open' | 'filtered'): Promise<void>;
  /** The last one ends the runtime, which would keep the program alive. */
  release(): Promise<void>;
}

/** Configuration that permits nothing: each command lists its own domains and paths. */
const FILTERED: SandboxRuntimeConfig = {
  network: { allowedDomains: [], deniedDomains: [] },
  filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
};

export function shareSandbox(load: () => Promise<SandboxRuntime>): SharedSandbox {
  let users = 0;
  let runtime: SandboxRuntime | null = null;
  let inUse: 'open' | 'filtered' | null = null;
  /** Resolves with a function that ends the guard of the filter. */
  let filter: Promise<() => void> | null = null;
  const startFilter = async () => {
    await runtime?.initialize(FILTERED);
    const paths = [runtime?.getLinuxHttpSocketPath(), runtime?.getLinuxSocksSocketPath()];
    const sockets = [...new Set(paths.filter((path) => path !== undefined))];
    return sockets.length === 0 ? () => {} : guardFilter(sockets);
  };
  return {
    acquire: async () => {
      runtime = await load();
      users++;
      return runtime;
    },
    openNetwork: async (network) => {
      if (inUse !== null && inUse !== network) {
        throw new Error(
          'it is in use already in this program, with the network open in one policy and filtered in the other',
        );
      }
      inUse = network;
      if (network === 'open') return;
      try {
        filter ??= startFilter();
        await filter;
      } catch (error) {
        [filter, inUse] = [null, null];
        throw error;
      }
    },
    release: async () => {
      users--;
      if (users > 0) return;
      const started = filter;
      [filter, inUse] = [null, null];
      if (started === null) return;
      const endGuard = await started;
      await runtime?.reset();
      endGuard();
    },
  };
}

/** Shared sandbox of the program: the package keeps one state in its module, so its users are counted for the whole program. */
export const installedSandbox: SharedSandbox = shareSandbox(async () => {
  const { SandboxManager } = loadInstalled('@anthropic-ai/sandbox-runtime') as {
    SandboxManager: SandboxRuntime;
  };
  return SandboxManager;
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { execa } from 'execa';

type Response = Parameters<LLMock['on']>[1];

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly signal?: NodeJS.Signals | undefined;
}

/** A model server on loopback, and the programs that talk to it in a directory of their own. */
export interface ModelServer extends AsyncDisposable {
  /** The results of calls and the notices that each request to the model held, in order. */
  readonly seen: readonly (readonly [results: number, notices: number])[];
  /** Replies once a request holds that many results, and that many messages of the user, notices included. */
  reply(held: { readonly results: number; readonly users: number }, response: Response): void;
  /** The same for a client that adds messages of its own: it counts the notices, and looks for what the user said. */
  replyIf(
    held: { readonly results: number; readonly notices?: number; readonly said?: string },
    response: Response,
  ): void;
  /** Runs a program with these arguments until it ends. */
  run(program: string, ...args: readonly string[]): Promise<Ended>;
}

export async function openModelServer(): Promise<ModelServer> {
  const cwd = mkdtempSync(join(tmpdir(), 'troupe-test-'));
  const mock = new LLMock({ port: 0, logLevel: 'silent' });
  const seen: (readonly [number, number])[] = [];
  await mock.start();
  return {
    seen,
    reply: ({ results, users }, response) => {
      const isMeant = (request: ChatCompletionRequest) => {
        if (count(request, 'tool') !== results || count(request, 'user') !== users) return false;
        seen.push([results, noticesOf(request)]);
        return true;
      };
      mock.on({ predicate: isMeant }, response);
    },
    replyIf: ({ results, notices, said = '' }, response) => {
      const isMeant = (request: ChatCompletionRequest) => {
        if (count(request, 'tool') !== results || (notices ?? noticesOf(request)) !== noticesOf(request))
          return false;
        if (!JSON.stringify(request.messages).includes(said)) return false;
        seen.push([results, noticesOf(request)]);
        return true;
      };
      mock.on({ predicate: isMeant }, response);
    },
    run: (program, ...args) =>
      execa(process.execPath, [program, ...args], {
        cwd,
        env: {
          OPENAI_BASE_URL: `${mock.url}/v1`,
          OPENAI_API_KEY: 'none',
          ANTHROPIC_BASE_URL: mock.url,
          ANTHROPIC_API_KEY: 'none',
          // The Claude Agent SDK keeps its sessions there.
          HOME: cwd,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_AUTOUPDATER: '1',
          // Newer ones get context as messages of the system, which this server drops.
          ANTHROPIC_MODEL: 'claude-haiku-4-5',
        },
        reject: false,
      }),
    [Symbol.asyncDispose]: async () => {
      await mock.stop();
      rmSync(cwd, { recursive: true });
    },
  };
}

/** A reply that makes one call. */
export function callOf(name: string, input: object): { toolCalls: { name: string; arguments: string }[] } {
  return { toolCalls: [{ name, arguments: JSON.stringify(input) }] };
}

function count({ messages }: ChatCompletionRequest, role: string): number {
  return messages.filter((message) => message.role === role).length;
}

function noticesOf({ messages }: ChatCompletionRequest): number {
  return JSON.stringify(messages).match(/<process_notice/g)?.length ?? 0;
}

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
    run: (program, ...args) =>
      execa(process.execPath, [program, ...args], {
        cwd,
        env: {
          OPENAI_BASE_URL: `${mock.url}/v1`,
          OPENAI_API_KEY: 'none',
          ANTHROPIC_BASE_URL: mock.url,
          ANTHROPIC_API_KEY: 'none',
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
export function callOf(name: string, input: object): Response {
  return { toolCalls: [{ name, arguments: JSON.stringify(input) }] };
}

function count({ messages }: ChatCompletionRequest, role: string): number {
  return messages.filter((message) => message.role === role).length;
}

function noticesOf({ messages }: ChatCompletionRequest): number {
  return JSON.stringify(messages).match(/<process_notice/g)?.length ?? 0;
}

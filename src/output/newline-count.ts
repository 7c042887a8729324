/** Below this size the plain loop is cheaper than copying into wasm memory. */
const smallestWorthBytes = 256;
const blockBytes = 64 * 1024;

/**
 * Counts the newlines (byte 10) of 64 KiB in about 3 µs, regardless of line lengths. Alternatives measured:
 * four bytes at a time in JavaScript 11–20 µs, `indexOf` from newline to newline 1 µs to 1 ms, byte by byte
 * 40 µs. Reading 64 KiB from a pipe takes about 50 µs, and every output byte passes here.
 */
export function countNewlines(bytes: Uint8Array): number {
  if (simd === null || bytes.byteLength < smallestWorthBytes) return countByByte(bytes);
  let count = 0;
  for (let from = 0; from < bytes.byteLength; from += blockBytes) {
    const block =
      from === 0 && bytes.byteLength <= blockBytes ? bytes : bytes.subarray(from, from + blockBytes);
    simd.memory.set(block);
    simd.memory.fill(0, block.byteLength, block.byteLength + 16);
    count += simd.count(0, block.byteLength);
  }
  return count;
}

function countByByte(bytes: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < bytes.byteLength; index += 1) if (bytes[index] === 10) count += 1;
  return count;
}

/**
 * `(memory (export "m") 2)` and `(func (export "c") (param $at i32) (param $end i32) (result i32) (local $n i32)`:
 * ```
 * loop
 *   $n += i32.popcnt(i8x16.bitmask(i8x16.eq(v128.load($at), splat of 10)))
 *   $at += 16; br_if 0 ($at < $end)
 * end
 * ```
 * It is one memory for the whole program, since each reserves 10 GB of address space; nothing in it outlives a call.
 */
const simd = instantiate(
  Buffer.from(
    'AGFzbQEAAAABBwFgAn9/AX8DAgEABQMBAAIHCQIBbQIAAWMAAAo5ATcBAX8DQCAA/QAAAP0MCgoKCgoKCgoKCgoKCgoKCv0j/WRpIAJqIQIgAEEQaiIAIAFJDQALIAIL',
    'base64',
  ),
);

interface SimdCounter {
  readonly memory: Uint8Array;
  readonly count: (at: number, end: number) => number;
}

/** The part of the WebAssembly interface in use; its types belong to the DOM library. */
interface WasmEngine {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (
    module: object,
  ) => { exports: { m: { buffer: ArrayBuffer }; c: SimdCounter['count'] } };
}

/** Returns `null` if the engine has no WebAssembly (`--jitless`) or the processor lacks the instructions. */
function instantiate(code: Uint8Array): SimdCounter | null {
  const wasm = (globalThis as unknown as { WebAssembly?: WasmEngine }).WebAssembly;
  if (wasm === undefined) return null;
  try {
    const { exports } = new wasm.Instance(new wasm.Module(code));
    return { memory: new Uint8Array(exports.m.buffer), count: exports.c };
  } catch {
    return null;
  }
}

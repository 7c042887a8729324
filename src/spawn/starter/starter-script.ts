/**
 * Program of the starter, for `node -e`: its argument is the pid of the host, whose descriptors it opens through `/proc`. A text, so that
 * bundles need no file beside them. A line of its input is an order: `{ id, command, argv0, isDetached, cwd, env, stdio }` starts a program, and
 * `{ id, run, env, input, timeoutMs }` runs a short one to its end. A line of its output is
 *
 * - `{ ready: true }`, once: it can open the descriptors of the host;
 * - `{ id, pid, stat }`: the program was started; `stat` is `/proc/<pid>/stat` before its exit can have been collected;
 * - `{ id, error: { code, message } }`: it could not be started;
 * - `{ id, exit: { code, signal } }`: it has ended;
 * - `{ id, ran: { failed, stdout, stderr, shortMessage } }`: the short program has ended.
 *
 * The end of its input is the end of the host. The programs live on; the host's watchdog kills them.
 */
export const starterScript = `
const { execFile, spawn } = require('node:child_process');
const { closeSync, constants, openSync, readFileSync, readlinkSync } = require('node:fs');
const host = '/proc/' + process.argv[1];
const tell = (answer) => process.stdout.write(JSON.stringify(answer) + '\\n');

const flags = { read: 'r', write: constants.O_WRONLY, append: 'a', terminal: constants.O_RDWR | constants.O_NOCTTY };

function open(end, opened) {
  if (end === 'ignore') return end;
  if (end === 'held') return 'pipe';
  const fd = openSync(host + '/fd/' + end.fd, flags[end.access]);
  opened.push(fd);
  return fd;
}

function readStat(pid) {
  try {
    return readFileSync('/proc/' + pid + '/stat', 'utf8');
  } catch {
    return '';
  }
}

function start({ id, command: [file, ...args], argv0, isDetached = true, cwd, env, stdio }) {
  const opened = [];
  const fail = ({ code, message }) => tell({ id, error: { code, message } });
  try {
    const ends = stdio.map((end) => open(end, opened));
    const child = spawn(file, args, { argv0, cwd, env, stdio: ends, detached: isDetached });
    child.on('error', child.pid === undefined ? fail : () => {});
    if (child.pid === undefined) return;
    tell({ id, pid: child.pid, stat: readStat(child.pid) });
    child.once('exit', (code, signal) => tell({ id, exit: { code, signal } }));
    child.stdin?.on('error', () => {});
  } catch (error) {
    fail(error);
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

function run({ id, run: [file, ...args], env, input, timeoutMs }) {
  const options = { cwd: '/', env, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 };
  const finish = (error, stdout, stderr) => {
    const shortMessage = error?.message.split('\\n')[0];
    tell({ id, ran: { failed: error !== null, stdout, stderr, shortMessage } });
  };
  try {
    const child = execFile(file, args, options, finish);
    child.stdin.on('error', () => {});
    child.stdin.end(Buffer.from(input, 'base64'));
  } catch (error) {
    finish(error, '', '');
  }
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const order = JSON.parse(line);
    if (order.run === undefined) start(order);
    else run(order);
  }
});
process.stdin.on('end', () => process.exit());
process.stdout.on('error', () => process.exit());
readlinkSync(host + '/fd/0');
tell({ ready: true });
`;

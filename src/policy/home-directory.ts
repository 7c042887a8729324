import { homedir } from 'node:os';

/** Returns the home directory of the user; `/` for one without, such as an arbitrary user id in a container. */
export function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}

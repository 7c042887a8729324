/** Errors of the file system that the user can correct. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file stands in its place',
  EISDIR: 'a directory stands in its place',
};

/** Describes a system error; `null` for errors that may be a fault of troupe. */
export function toErrnoText({ code = '' }: { readonly code?: string | undefined }): string | null {
  return Object.hasOwn(reasons, code) ? (reasons[code] ?? null) : null;
}

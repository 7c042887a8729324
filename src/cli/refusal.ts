/** What the system says of files that a person can set right. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'there is no permission',
  EPERM: 'there is no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'there is no room left for this user',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file stands in its place',
  EISDIR: 'a directory stands in its place',
};

/** Why the system refused, in words; `null` where the fault may be ours. */
export function toErrnoText({ code = '' }: { readonly code?: string | undefined }): string | null {
  return Object.hasOwn(reasons, code) ? (reasons[code] ?? null) : null;
}

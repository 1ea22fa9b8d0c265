/** The folder of the package, above `src/` or `dist/`, in which both a module and a bundled chunk lie two levels down. */
const PACKAGE_URL = new URL("../..", import.meta.url);

/** The frames of an error's stack, each as `at place`, outermost call last. */
export function framesOf(error: Error): readonly string[] {
  return (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());
}

/**
 * The frames that lie in the user's files: what remains of a stack without those of this package, of Node and of the command-line library.
 *
 * @remarks
 * An error of the operating system has none, since a call of ours made it: its message says it all.
 */
export function userFramesOf(error: Error): readonly string[] {
  return "syscall" in error ? [] : framesOf(error).filter((frame) => !isForeign(frame));
}

function isForeign(frame: string): boolean {
  if (/node:|<anonymous>|\/node_modules\/@stricli\//.test(frame)) return true;
  return ["src/", "dist/"].some((folder) => {
    const url = new URL(folder, PACKAGE_URL);
    return frame.includes(url.href) || frame.includes(`(${url.pathname}`);
  });
}

import { errorText, nodePlatform } from "../base/index.ts";
import type { CliContext } from "./cli-context.ts";
import { EXIT_CODES } from "./exit-code.ts";

/** Writes a file that the user named. False if it could not be written: that has been said, and the exit code is set. */
export async function writeTextFile(
  path: string,
  text: string,
  process: CliContext["process"],
): Promise<boolean> {
  try {
    const bytes = new TextEncoder().encode(text);
    const { files } = nodePlatform();
    // A file that is there keeps its owner, its permissions and the names that link to it.
    const isThere = (await files.status(path)) !== undefined;
    const file = await files.open(path, isThere ? "update" : "create");
    try {
      await file.write(bytes, 0);
      await file.truncate(bytes.length);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    process.stderr.write(`Error: ${path} cannot be written: ${errorText(error)}\n`);
    process.exitCode = EXIT_CODES.REFUSED;
    return false;
  }
}

import { SimulatedDisk } from "./simulated-disk.ts";
import { SimulatedFiles } from "./simulated-files.ts";
import { SIMULATION_START_MS, SimulatedPlatform } from "./simulated-platform.ts";

/**
 * A simulated machine on which nothing goes wrong: for tests that need time and files, but no faults.
 *
 * @param given - A disk that is there already, of a machine before.
 */
export function quietMachine(
  seed = 1,
  given?: SimulatedDisk,
): { readonly platform: SimulatedPlatform; readonly disk: SimulatedDisk } {
  let platform: SimulatedPlatform | undefined = undefined;
  const disk: SimulatedDisk =
    given ?? new SimulatedDisk(() => platform?.nowMs() ?? SIMULATION_START_MS);
  platform = new SimulatedPlatform(
    seed,
    (machine) =>
      new SimulatedFiles(machine, disk, { latencyMs: () => 0.1, failure: () => undefined }),
  );
  return { platform, disk };
}

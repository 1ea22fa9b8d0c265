import type { Platform } from "../../base/index.ts";
import type { Execution } from "../job/execution.ts";
import { type PipelinedRegion, tasksOf } from "./pipelined-regions.ts";
import type { RegionDeployer } from "./region-deployer.ts";

export interface RegionRestartsParameters {
  readonly platform: Platform;
  readonly execution: Pick<Execution, "isLiving">;
  readonly deployer: Pick<RegionDeployer, "cancel" | "settle">;
  /** Starts the regions again. */
  readonly restart: (regions: readonly PipelinedRegion[]) => void;
}

interface PendingRestart {
  readonly regions: readonly PipelinedRegion[];
  /** Called once every task of the regions has ended. */
  whenOver: (() => void) | undefined;
  cancelBackoff: (() => void) | undefined;
  isCancelled: boolean;
}

/**
 * Regions that have failed and wait to be started again, while the rest of the job goes on.
 *
 * Invariants:
 *
 * - F1. A region is restarted only when every task of its last attempt has ended and no checkpoint is being written.
 * - F2. A region has at most one restart pending; a failure in it meanwhile changes nothing.
 */
export class RegionRestarts {
  readonly #p: RegionRestartsParameters;
  readonly #pending = new Set<PendingRestart>();

  constructor(parameters: RegionRestartsParameters) {
    this.#p = parameters;
  }

  get isPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Whether the region waits to be started again. */
  covers(region: PipelinedRegion): boolean {
    return [...this.#pending].some(({ regions }) => regions.includes(region));
  }

  /** Ends the regions, and starts them again this long after their end. */
  begin(regions: readonly PipelinedRegion[], backoffMs: number): void {
    const { platform, deployer, restart } = this.#p;
    const pending: PendingRestart = {
      regions,
      whenOver: undefined,
      cancelBackoff: undefined,
      isCancelled: false,
    };
    this.#pending.add(pending);
    const over = new Promise<void>((resolve) => {
      pending.whenOver = resolve;
    });
    deployer.cancel(regions);
    this.taskEnded();
    void Promise.all([deployer.settle(regions), over]).then(() => {
      if (pending.isCancelled) return;
      pending.cancelBackoff = platform.after(backoffMs, () => {
        this.#pending.delete(pending);
        restart(regions);
      });
    });
  }

  /** A task has ended: perhaps it was the last of its region. */
  taskEnded(): void {
    for (const pending of this.#pending) {
      const tasks = tasksOf(pending.regions);
      if (pending.whenOver === undefined || tasks.some((task) => this.#p.execution.isLiving(task)))
        continue;
      pending.whenOver();
      pending.whenOver = undefined;
    }
  }

  /** The job ends, or starts again as a whole. */
  cancel(): void {
    for (const pending of this.#pending) {
      pending.isCancelled = true;
      pending.cancelBackoff?.();
    }
    this.#pending.clear();
  }
}

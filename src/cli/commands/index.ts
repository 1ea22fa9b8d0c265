import { buildRouteMap, type RouteMap } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { checkpointsCommand } from "./checkpoints.ts";
import { doctorCommand } from "./doctor.ts";
import { explainCommand } from "./explain.ts";
import { runCommand } from "./run.ts";
import { simulateCommand } from "./simulate.ts";

/** Every command. A new one is a file beside this one and a line here. */
export const routes: RouteMap<CliContext> = buildRouteMap({
  routes: {
    run: runCommand,
    simulate: simulateCommand,
    checkpoints: checkpointsCommand,
    doctor: doctorCommand,
    explain: explainCommand,
  },
  docs: {
    brief: "Stateful stream processing for TypeScript with exactly-once checkpoints.",
  },
});

import { buildRouteMap, type RouteMap } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { cancelCommand } from "./cancel.ts";
import { checkpointCommand } from "./checkpoint.ts";
import { checkpointsCommand } from "./checkpoints.ts";
import { completionCommand } from "./completion.ts";
import { doctorCommand } from "./doctor.ts";
import { exceptionsCommand } from "./exceptions.ts";
import { explainCommand } from "./explain.ts";
import { historyCommand } from "./history.ts";
import { infoCommand } from "./info.ts";
import { lintCommand } from "./lint.ts";
import { listCommand } from "./list.ts";
import { rescaleCommand } from "./rescale.ts";
import { runCommand } from "./run.ts";
import { savepointCommand } from "./savepoint.ts";
import { serveCommand } from "./serve.ts";
import { simulateCommand } from "./simulate.ts";
import { stopCommand } from "./stop.ts";
import { submitCommand } from "./submit.ts";
import { uiCommand } from "./ui.ts";

/** Every command. A new one is a file beside this one and a line here. */
export const routes: RouteMap<CliContext> = buildRouteMap({
  routes: {
    run: runCommand,
    simulate: simulateCommand,
    checkpoints: checkpointsCommand,
    doctor: doctorCommand,
    explain: explainCommand,
    lint: lintCommand,
    list: listCommand,
    info: infoCommand,
    exceptions: exceptionsCommand,
    checkpoint: checkpointCommand,
    savepoint: savepointCommand,
    stop: stopCommand,
    cancel: cancelCommand,
    rescale: rescaleCommand,
    serve: serveCommand,
    submit: submitCommand,
    history: historyCommand,
    ui: uiCommand,
    completion: completionCommand,
  },
  docs: {
    brief: "Stateful stream processing for TypeScript with exactly-once checkpoints.",
  },
});

export { serveStage } from "./serve-stage.ts";
export { StageHost } from "./stage-host.ts";
export type { StageOperator, StageProgram, StagePrograms } from "./stage-program.ts";

export {
  conformanceLines,
  type ConformanceReport,
  runConformance,
  type ScenarioText,
} from "./conformance-report.ts";

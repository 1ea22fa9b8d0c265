export { assert, AssertionError, present, unreachable } from "./assert.ts";
export { latin1Text } from "./ascii-text.ts";
export { ByteReader, ByteWriter, MalformedBytesError } from "./bytes.ts";
export { doubleHash } from "./double-hash.ts";
export {
  DURATION_FORMS,
  formatDurationMs,
  formatDurationNs,
  parseDurationMs,
  parseDurationNs,
} from "./duration.ts";
export { type Duration, durationMs } from "./duration-argument.ts";
export type { ErrorCode, ErrorDetails, ErrorDomain } from "./error-codes.ts";
export { ERRORS } from "./error-codes.ts";
export { causeChain, causesOf, errorText, isStreamError, StreamError } from "./errors.ts";
export type { DirectoryEntry, FileStatus, FileSystem, OpenFile, OpenMode } from "./file-system.ts";
export { type FlatYaml, type FlatYamlEntry, parseFlatYaml } from "./flat-yaml.ts";
export { type LogFields, type Logger, type LogLevel, silentLogger } from "./log.ts";
export { formatLogLine } from "./log-line.ts";
export { LogMemory } from "./log-memory.ts";
export {
  formatMemorySize,
  humanReadableMemorySize,
  MEMORY_SIZE_FORMS,
  type MemoryUnit,
  parseMemorySize,
} from "./memory-size.ts";
export {
  decodeModifiedUtf8,
  MAX_UTF_BYTES,
  modifiedUtf8Length,
  readUtf,
  writeModifiedUtf8,
  writeUtf,
} from "./modified-utf8.ts";
export { importModuleInstance } from "./module-instance.ts";
export { nodePlatform, raiseInliningBudget } from "./node-platform.ts";
export {
  Configuration,
  type ConfigurationEntry,
  nearestWord,
  type OptionDefinition,
  optionKeys,
  type OptionOrigin,
  type OptionTable,
  type OptionType,
  OptionTypes,
  refuseUnknownKeys,
  type ResolvedOptions,
  resolveOptions,
} from "./option.ts";
export { type Platform, randomId, randomUuid } from "./platform.ts";
export { longToTimestamp, MAX_TIMESTAMP, MIN_TIMESTAMP, timestampToLong } from "./time.ts";
export { framesOf, userFramesOf } from "./user-frames.ts";

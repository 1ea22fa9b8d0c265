export { collectionSource } from "./collection-source.ts";
export { type CollectSink, collectSink } from "./collect-sink.ts";
export type { BadRecord, BadRecordPolicy } from "./file/bad-record.ts";
export { fileSink, type FileSinkOptions } from "./file/file-sink.ts";
export { readRecords } from "./file/read-records.ts";
export { fileSource, type FileSourceOptions } from "./file/file-source.ts";
export { csv, type CsvOptions } from "./format/csv.ts";
export { ndjson } from "./format/ndjson.ts";
export { BadRecordError, type RecordDecoder, type RecordFormat } from "./format/record-format.ts";
export { text } from "./format/text.ts";
export {
  type FunctionSourceOptions,
  functionSource,
  type SourceFunction,
  type SourceFunctionContext,
} from "./function-source.ts";
export { type GeneratorOptions, generatorSource } from "./generator-source.ts";
export { isPrintSink, type PrintOptions, printSink, textOfPrinted } from "./print-sink.ts";

// Loaded before a job, as a user loads an OpenTelemetry SDK (`node --import`): prints each span as a line of JSON to the standard error.
import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";

const printer = {
  export(spans, done) {
    for (const { name, parentSpanContext, attributes, status } of spans) {
      const span = { name, isRoot: parentSpanContext === undefined, attributes, status };
      process.stderr.write(`span ${JSON.stringify(span)}\n`);
    }
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};

trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(printer)] }),
);

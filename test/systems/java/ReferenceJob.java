import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.MeterView;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/**
 * The job whose REST answers are recorded: numbers, counted by key, with a state, thrown away. Its map fails checkpoint 2, and the
 * whole first attempt a little later, so that failed checkpoints, restored ones and exceptions are among the answers. The job
 * of test/rest/reference-job.ts is the same.
 */
public final class ReferenceJob {
  public static void main(String[] arguments) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(2);
    env.fromSource(
            new DataGeneratorSource<>(
                index -> index, Long.MAX_VALUE, RateLimiterStrategy.perSecond(200), Types.LONG),
            WatermarkStrategy.<Long>forBoundedOutOfOrderness(Duration.ofMillis(5))
                .withTimestampAssigner((value, before) -> value),
            "numbers")
        .uid("numbers")
        .map(new FailingOnce())
        .uid("failing-once")
        .name("failing-once")
        .keyBy(value -> value % 10)
        .process(new Counts())
        .uid("counts")
        .name("counts")
        .sinkTo(new DiscardingSink<>())
        .uid("nowhere")
        .name("nowhere");
    env.execute("reference");
  }

  private static final class FailingOnce extends RichMapFunction<Long, Long> implements CheckpointedFunction {
    private int seen;

    @Override
    public Long map(Long value) {
      if (getRuntimeContext().getTaskInfo().getAttemptNumber() == 0 && ++seen > 500) {
        throw new IllegalStateException("fails once");
      }
      return value;
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) {
      if (context.getCheckpointId() == 2) throw new IllegalStateException("no snapshot");
    }

    @Override
    public void initializeState(FunctionInitializationContext context) {}
  }

  private static final class Counts extends KeyedProcessFunction<Long, Long, Long> {
    private transient ValueState<Long> count;
    private transient Counter calls;
    private transient Counter gold;
    private transient Meter rate;
    private transient Histogram amounts;
    private long latest;

    @Override
    public void open(OpenContext context) {
      count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
      MetricGroup shop = getRuntimeContext().getMetricGroup().addGroup("shop");
      calls = shop.counter("calls");
      rate = shop.meter("rate", new MeterView(60));
      amounts = shop.histogram("amounts", new DescriptiveStatisticsHistogram(1000));
      shop.gauge("latest", (Gauge<Long>) () -> latest);
      gold = shop.addGroup("tier", "gold").counter("hits");
    }

    @Override
    public void processElement(Long value, Context context, Collector<Long> out) throws Exception {
      Long before = count.value();
      long now = before == null ? 1 : before + 1;
      count.update(now);
      calls.inc();
      gold.inc();
      rate.markEvent();
      amounts.update(value % 100);
      latest = value;
      out.collect(now);
    }
  }
}
